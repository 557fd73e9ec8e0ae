import type { TestContext } from 'node:test'
import pg from 'pg'

/** Executes a statement in a transaction that stays open. @returns the function that commits it */
export async function holdTransaction(t: TestContext, databaseUrl: string, statement: string): Promise<() => void> {
  const client = new pg.Client(databaseUrl)
  // A failed test drops the database before the transaction ends.
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  await client.query('begin')
  await client.query(statement)
  return () => client.query('commit')
}
