import type { OnRowChange, RowChanges, RowEvent } from './row-changes.ts'
import type { SqliteDriver } from './sqlite-driver.ts'

/**
 * The driver reports each commit of this process immediately. `PRAGMA data_version`, read once per turn of the event loop,
 * tells whether another process has committed, but not what.
 */
export class SqliteRowChanges implements RowChanges {
  private driver: Pick<SqliteDriver, 'watch' | 'readDataVersion'>
  private watchers: OnRowChange[] = []
  private dataVersion: unknown
  private isCaughtUp = false

  constructor(driver: Pick<SqliteDriver, 'watch' | 'readDataVersion'>) {
    this.driver = driver
  }

  watch(table: string, keyColumn: string, onChange: OnRowChange, events: RowEvent[] = ['update', 'delete']): void {
    this.driver.watch(table, keyColumn, events, onChange)
    this.watchers.push(onChange)
  }

  catchUp(): void {
    if (this.isCaughtUp) return
    const dataVersion = this.driver.readDataVersion()
    this.isCaughtUp = true
    setImmediate(() => {
      this.isCaughtUp = false
    })
    if (dataVersion === this.dataVersion) return
    this.dataVersion = dataVersion
    for (const onChange of this.watchers) onChange(undefined)
  }
}
