import type { RowChanges, RowEvent } from './row-changes.ts'

/** A table whose changes make entries stale. */
export interface Dependency<Value> {
  table: string
  column: string
  /**
   * The column's value in the row that an entry was made from. Without it, the value is the key of the entry. 'any': every
   * changed row makes every entry stale.
   */
  keyOf?: ((value: Value) => string) | 'any'
  /** By default, update and delete: the cache holds what exists. */
  events?: RowEvent[]
}

/**
 * Values from the database. What `find` returns is not older than the last commit of any process before the call. So what
 * is revoked is revoked with the next request.
 */
export class ExactCache<Value> {
  private rowChanges: RowChanges
  private entriesMaximum: number
  private values = new Map<string, Value>()
  private rowIndexes: RowIndex<Value>[] = []
  /** Increases with every commit that may make an entry stale. */
  private generation = 0

  /** @throws when the triggers can't be created: without them, the cache would keep what was revoked */
  constructor(rowChanges: RowChanges, entriesMaximum: number, dependencies: Dependency<Value>[]) {
    this.rowChanges = rowChanges
    this.entriesMaximum = entriesMaximum
    for (const { table, column, keyOf, events } of dependencies) {
      const index = typeof keyOf === 'function' ? new RowIndex(keyOf) : undefined
      if (index) this.rowIndexes.push(index)
      const onChange = (row: string | undefined) => this.dropRow(keyOf === 'any' ? undefined : row, index)
      rowChanges.watch(table, column, onChange, events)
    }
  }

  /** Synchronous on SQLite: a promise would cost each session check a turn of the event loop. */
  find(key: string): Value | undefined | Promise<Value | undefined> {
    if (!this.values.has(key)) return undefined
    const caughtUp = this.catchUp()
    return caughtUp ? caughtUp.then(() => this.values.get(key)) : this.values.get(key)
  }

  /** Reads a value, and keeps it unless a commit during the look-up may have changed it. */
  async load<Found extends Value | null | undefined>(key: string, read: () => Promise<Found>): Promise<Found> {
    const { generation } = this
    const value = await read()
    if (value !== null && value !== undefined && this.generation === generation) this.set(key, value)
    return value
  }

  private catchUp(): void | Promise<void> {
    try {
      return this.rowChanges.catchUp()
    } catch {
      // Any entry may be stale. The look-up that follows reports a database that can't be read.
      this.clear()
    }
  }

  private set(key: string, value: Value): void {
    this.drop(key)
    const oldest = this.values.keys().next()
    if (this.values.size >= this.entriesMaximum && !oldest.done) this.drop(oldest.value)
    this.values.set(key, value)
    for (const index of this.rowIndexes) index.add(key, value)
  }

  private dropRow(row: string | undefined, index: RowIndex<Value> | undefined): void {
    this.generation += 1
    if (row === undefined) this.clear()
    else for (const key of index ? index.list(row) : [row]) this.drop(key)
  }

  private drop(key: string): void {
    const value = this.values.get(key)
    if (value === undefined) return
    this.values.delete(key)
    for (const index of this.rowIndexes) index.remove(key, value)
  }

  private clear(): void {
    this.values.clear()
    for (const index of this.rowIndexes) index.clear()
  }
}

/** The entries that were made from each row. */
class RowIndex<Value> {
  private keyOf: (value: Value) => string
  private entries = new Map<string, Set<string>>()

  constructor(keyOf: (value: Value) => string) {
    this.keyOf = keyOf
  }

  list(row: string): string[] {
    return [...(this.entries.get(row) ?? [])]
  }

  add(entry: string, value: Value): void {
    const row = this.keyOf(value)
    this.entries.set(row, (this.entries.get(row) ?? new Set()).add(entry))
  }

  remove(entry: string, value: Value): void {
    const row = this.keyOf(value)
    const entries = this.entries.get(row)
    entries?.delete(entry)
    if (entries?.size === 0) this.entries.delete(row)
  }

  clear(): void {
    this.entries.clear()
  }
}
