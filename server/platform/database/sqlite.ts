import {
  type Dialect,
  type Driver,
  type Kysely,
  type SelectModifierNode,
  type SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { RowChanges } from './row-changes.ts'
import { SqliteDriver } from './sqlite-driver.ts'
import { ConcurrentAdapter } from './sqlite-reader.ts'
import { SqliteRowChanges } from './sqlite-row-changes.ts'

/** A separate connection reads, so that it sees no uncommitted rows. A commit returns after the data is on the disk. */
export class SqliteDialect implements Dialect {
  private driver: SqliteDriver
  /** `watch` needs the tables, so it is called after the migrations. */
  readonly rowChanges: RowChanges
  constructor(path: string) {
    this.driver = new SqliteDriver(path)
    this.rowChanges = new SqliteRowChanges(this.driver)
  }
  testWrite = (): Promise<void> => this.driver.testWrite()
  createDriver = (): Driver => this.driver
  createAdapter = (): SqliteAdapter => new ConcurrentAdapter()
  createQueryCompiler = (): SqliteQueryCompiler => new LockFreeCompiler()
  createIntrospector = (database: Kysely<unknown>): SqliteIntrospector => new SqliteIntrospector(database)
}

const ROW_LOCKS: unknown[] = ['ForUpdate', 'ForNoKeyUpdate', 'ForShare', 'ForKeyShare', 'SkipLocked']

/** SQLite has one writer, and a transaction has it from its first statement on. */
class LockFreeCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!ROW_LOCKS.includes(node.modifier)) super.visitSelectModifier(node)
  }
}
