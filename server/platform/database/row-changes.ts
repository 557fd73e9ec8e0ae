/** Tells what was committed to a SQLite file, so that a cache in front of it can be exact. */
export interface RowChanges {
  /**
   * Calls back once a row of the table was changed or deleted by this process and that is committed. The engine's own
   * triggers tell, cascades included, so that no code path can forget to.
   * @param key the row's value in the key column, as it was before
   */
  watch(table: string, keyColumn: string, onChange: (key: string) => void): void
  /** Whether another process has committed anything since this was last asked. */
  changedElsewhere(): boolean
}
