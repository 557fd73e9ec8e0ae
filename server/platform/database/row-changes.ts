export type RowEvent = 'insert' | 'update' | 'delete'

/** @param key the key of the changed row, as it was before; undefined when any row may have changed */
export type OnRowChange = (key: string | undefined) => void

/** The committed changes of all processes, so that a cache is exact. */
export interface RowChanges {
  /**
   * Triggers also report cascades.
   * @param events by default, update and delete
   * @throws when SQLite can't create the triggers, or no migration of PostgreSQL has them
   */
  watch(table: string, keyColumn: string, onChange: OnRowChange, events?: RowEvent[]): void
  /**
   * Reports the commits before the call. In a request, reports those before the request, or its body, arrived.
   * @throws when the database can't be read: no entry of a cache may be used then
   */
  catchUp(): Promise<void>
}
