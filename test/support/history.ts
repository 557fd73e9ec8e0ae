/** The values that one value had, in the order of its changes, which are made one at a time. */
export class History<Value extends string> {
  private values: Value[]
  private acknowledgedIndex = 0

  constructor(initial: Value) {
    this.values = [initial]
  }

  get latest(): Value {
    return this.values.at(-1)!
  }

  /** From the beginning of `change` both values may be seen, and from its end the new one only. */
  async change(value: Value, change: () => Promise<unknown>): Promise<void> {
    this.values.push(value)
    await change()
    this.acknowledgedIndex = this.values.length - 1
  }

  /** Call it before a request. @returns the function that lists what its response may show */
  startReading(): () => Value[] {
    const firstIndex = this.acknowledgedIndex
    return () => this.values.slice(firstIndex)
  }
}
