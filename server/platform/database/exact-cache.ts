import type { RowChanges, RowEvent } from './row-changes.ts'

/** The value of a column in the row that an entry was made from. */
type RowKey<Value> = (value: Value) => string

/** A table whose changes make entries stale. */
export interface Dependency<Value> {
  table: string
  column: string
  /** Without it, the column's value is the key of the entry. 'any': every changed row makes every entry stale. */
  keyOf?: RowKey<Value> | 'any'
  /** By default, update and delete, because a cache contains only rows that exist. */
  events?: RowEvent[]
}

/**
 * This many characters count as one more entry, because users choose the length of some texts. Each character takes up
 * to 4 bytes: 2 in a text with an emoji, and 2 in its JSON.
 */
const CHARACTERS_PER_ENTRY = 384

/**
 * In a request, `find` returns no value that is older than the last commit of any process before the request, or its
 * body, arrived. So a revoked session is refused from the next request on (docs/exact-sessions.md).
 */
export class ExactCache<Value> {
  private rowChanges: RowChanges
  private entriesMaximum: number
  private charactersOf: (value: Value) => number
  private rowKeys: RowKey<Value>[] = []
  /** Two halves, because a Map steps over deleted entries to find the oldest one: 8 µs for each new entry. */
  private younger: Entries<Value>
  private older: Entries<Value>
  private seen = new Set<string>()
  /** Increases with every commit that may make an entry stale. */
  private generation = 0

  /**
   * @param charactersOf the length of the texts in a value that can be long
   * @throws when the triggers can't be created: without them, revoked sessions would stay in the cache
   */
  constructor(
    rowChanges: RowChanges,
    entriesMaximum: number,
    dependencies: Dependency<Value>[],
    charactersOf: (value: Value) => number = () => 0,
  ) {
    this.rowChanges = rowChanges
    this.entriesMaximum = entriesMaximum
    this.charactersOf = charactersOf
    for (const { table, column, keyOf, events } of dependencies) {
      const rowKey = typeof keyOf === 'function' ? keyOf : undefined
      if (rowKey) this.rowKeys.push(rowKey)
      const onChange = (row: string | undefined) => this.dropRow(keyOf === 'any' ? undefined : row, rowKey)
      rowChanges.watch(table, column, onChange, events)
    }
    this.younger = this.newEntries()
    this.older = this.newEntries()
  }

  /**
   * @param isUsable refuses a value that has become stale without a changed row
   * @throws when the commits of other processes can't be read: any entry may be stale then
   */
  find<Found extends Value | undefined>(
    key: string,
    read: () => Promise<Found>,
    isUsable?: (value: Value) => boolean,
  ): Promise<Value | Found> {
    if (this.get(key) === undefined) return this.load(key, read)
    return this.rowChanges.catchUp().then((): Value | Promise<Value | Found> => {
      const cached = this.get(key)
      return cached !== undefined && (isUsable?.(cached) ?? true) ? cached : this.load(key, read)
    })
  }

  /** Does not store the value when a commit during the look-up may have changed it. */
  private async load<Found extends Value | undefined>(key: string, read: () => Promise<Found>): Promise<Found> {
    const { generation } = this
    const value = await read()
    if (value !== undefined && this.generation === generation) this.set(key, value)
    return value
  }

  private get(key: string): Value | undefined {
    return this.younger.get(key) ?? this.older.get(key)
  }

  private set(key: string, value: Value): void {
    if (this.older.size > 0 && this.isFirstLookUp(key)) return
    this.drop(key)
    if (this.younger.size >= this.entriesMaximum / 2) {
      this.older = this.younger
      this.younger = this.newEntries()
    }
    this.younger.set(key, value)
  }

  /** A full cache stores a key at its second look-up: with too many keys, most are evicted before their second use. */
  private isFirstLookUp(key: string): boolean {
    if (this.seen.delete(key)) return false
    if (this.seen.size >= this.entriesMaximum) this.seen.clear()
    this.seen.add(key)
    return true
  }

  private dropRow(row: string | undefined, rowKey: RowKey<Value> | undefined): void {
    this.generation += 1
    if (row === undefined) this.clear()
    else if (rowKey === undefined) this.drop(row)
    else for (const entries of [this.younger, this.older]) entries.deleteRow(row, rowKey)
  }

  private drop(key: string): void {
    this.younger.delete(key)
    this.older.delete(key)
  }

  private clear(): void {
    this.younger = this.newEntries()
    this.older = this.newEntries()
  }

  private newEntries(): Entries<Value> {
    return new Entries(this.rowKeys, (value) => 1 + Math.floor(this.charactersOf(value) / CHARACTERS_PER_ENTRY))
  }
}

class Entries<Value> {
  private values = new Map<string, Value>()
  private keysOfRows: Map<RowKey<Value>, Map<string, Set<string>>>
  private sizeOf: (value: Value) => number
  size = 0

  constructor(rowKeys: RowKey<Value>[], sizeOf: (value: Value) => number) {
    this.keysOfRows = new Map(rowKeys.map((rowKey) => [rowKey, new Map()]))
    this.sizeOf = sizeOf
  }

  get(key: string): Value | undefined {
    return this.values.get(key)
  }

  set(key: string, value: Value): void {
    this.values.set(key, value)
    this.size += this.sizeOf(value)
    for (const [rowKey, rows] of this.keysOfRows) rows.getOrInsertComputed(rowKey(value), () => new Set()).add(key)
  }

  delete(key: string): void {
    const value = this.values.get(key)
    if (value === undefined) return
    this.values.delete(key)
    this.size -= this.sizeOf(value)
    for (const [rowKey, rows] of this.keysOfRows) {
      const row = rowKey(value)
      const keys = rows.get(row)
      keys?.delete(key)
      if (keys?.size === 0) rows.delete(row)
    }
  }

  deleteRow(row: string, rowKey: RowKey<Value>): void {
    for (const key of this.keysOfRows.get(rowKey)?.get(row) ?? []) this.delete(key)
  }
}
