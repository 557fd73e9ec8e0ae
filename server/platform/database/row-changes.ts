/** An event of a table that a cache must see. */
export type RowEvent = 'insert' | 'update' | 'delete'

/** @param key the key of the changed row, as it was before; undefined when any row may have changed */
export type OnRowChange = (key: string | undefined) => void

/** The committed changes of a database, so that a cache is exact. */
export interface RowChanges {
  /**
   * Calls back after the changes and deletions of rows, including cascades. Triggers report them, so that no code path is
   * missed.
   * @param events by default, update and delete. SQLite creates their triggers; on PostgreSQL, those of the migrations must
   * cover them
   * @throws when the triggers can't be created, or no migration of PostgreSQL has them
   */
  watch(table: string, keyColumn: string, onChange: OnRowChange, events?: RowEvent[]): void
  /**
   * Reports every commit of all processes until now. In a request, until the request, or its body, arrived.
   * @throws when the database can't be read; nothing in a cache may be used then
   */
  catchUp(): Promise<void>
}
