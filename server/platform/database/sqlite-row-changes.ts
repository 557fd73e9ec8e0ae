import type { OnRowChange, RowChanges, RowEvent } from './row-changes.ts'
import type { SqliteDriver } from './sqlite-driver.ts'
import { newTimeBudget, READING_MILLISECONDS, type SharedReading, shareReading, withTimeBudget } from './time-budget.ts'

/** `data_version` tells that another process has committed, but not which rows (docs/decisions/05-session-cache.md). */
export class SqliteRowChanges implements RowChanges {
  private driver: Pick<SqliteDriver, 'watch' | 'readDataVersion'>
  private watchers: OnRowChange[] = []
  private dataVersion: unknown
  private next: SharedReading | undefined

  constructor(driver: Pick<SqliteDriver, 'watch' | 'readDataVersion'>) {
    this.driver = driver
  }

  watch(table: string, keyColumn: string, onChange: OnRowChange, events: RowEvent[] = ['update', 'delete']): void {
    this.driver.watch(table, keyColumn, events, onChange)
    this.watchers.push(onChange)
  }

  catchUp(): Promise<void> {
    return shareReading(() => this.join())
  }

  private join(): SharedReading {
    if (!this.next) {
      const stopSpending: (() => void)[] = []
      const promise = this.readAfterTurn().finally(() => {
        for (const stop of stopSpending) stop()
      })
      this.next = { promise, stopSpending }
    }
    return this.next
  }

  private async readAfterTurn(): Promise<void> {
    // The last bytes of a request may arrive while the same turn of the event loop handles another request.
    await new Promise((resolve) => setImmediate(resolve))
    this.next = undefined
    // The first of the requests may have less time than the others.
    await withTimeBudget(newTimeBudget(READING_MILLISECONDS), () => this.read())
  }

  private async read(): Promise<void> {
    const dataVersion = await this.driver.readDataVersion()
    if (dataVersion === this.dataVersion) return
    this.dataVersion = dataVersion
    for (const onChange of this.watchers) onChange(undefined)
  }
}
