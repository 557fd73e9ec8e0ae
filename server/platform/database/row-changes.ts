/** Commit notifications of a SQLite file, so that a cache is exact. */
export interface RowChanges {
  /**
   * Calls back after this process has committed the change or the deletion of a row. Triggers report them, including
   * cascades, so that no code path is missed.
   * @param onChange gets the earlier value of the key column
   */
  watch(table: string, keyColumn: string, onChange: (key: string) => void): void
  /** Whether another process has committed since the last call. */
  changedElsewhere(): boolean
}
