import {
  type Dialect,
  type Driver,
  type Kysely,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { RowChanges } from './row-changes.ts'
import { SqliteDriver } from './sqlite-driver.ts'

/**
 * Kysely on `node:sqlite`: one connection writes, another one reads, so that a read never sees what is not committed.
 * A commit is on the disk when it is acknowledged (WAL with synchronous=FULL).
 * @param path of the file; it and its folder are made when they are not there
 */
export class SqliteDialect implements Dialect {
  private driver: SqliteDriver
  constructor(path: string) {
    this.driver = new SqliteDriver(path)
  }
  /** See `OpenDatabase.testWrite`. */
  testWrite = (): Promise<void> => this.driver.testWrite()
  /** To be watched only once the database is migrated: the tables have to be there. */
  get rowChanges(): RowChanges {
    return this.driver
  }
  createDriver = (): Driver => this.driver
  createAdapter = (): SqliteAdapter => new TransactionalAdapter()
  createQueryCompiler = (): SqliteQueryCompiler => new LockFreeCompiler()
  createIntrospector = (database: Kysely<unknown>): SqliteIntrospector => new SqliteIntrospector(database)
}

/** SQLite's schema changes are transactional, and BEGIN IMMEDIATE is all the lock that migrations need. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

const ROW_LOCKS: unknown[] = ['ForUpdate', 'ForNoKeyUpdate', 'ForShare', 'ForKeyShare', 'SkipLocked']

/** Row locks fall away: SQLite has one writer, and a transaction here is it from its first statement on. */
class LockFreeCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!ROW_LOCKS.includes(node.modifier)) super.visitSelectModifier(node)
  }
}
