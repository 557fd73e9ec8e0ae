/** The history of one value. The changes are made one after the other. */
export class History<Value extends string> {
  private values: Value[]
  private acknowledgedIndex = 0

  constructor(initial: Value) {
    this.values = [initial]
  }

  get latest(): Value {
    return this.values.at(-1)!
  }

  /** During `change` a response may show both values. After it, a response may show the new value only. */
  async change(value: Value, change: () => Promise<unknown>): Promise<void> {
    this.values.push(value)
    await change()
    this.acknowledgedIndex = this.values.length - 1
  }

  /** Call this function before a request. @returns a function that lists the values that the response may show */
  startReading(): () => Value[] {
    const firstIndex = this.acknowledgedIndex
    return () => this.values.slice(firstIndex)
  }
}
