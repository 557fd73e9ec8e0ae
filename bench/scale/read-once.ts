import { createReadStream } from 'node:fs'
import pg from 'pg'
import { readConfig } from '../../server/platform/config/config.ts'
import { environmentOf } from './service.ts'

/** Reads a database into memory: in service it is there, and a cold page would be measured instead of a request. */
export async function readOnce(databaseUrl: string): Promise<void> {
  const { database } = readConfig(environmentOf(databaseUrl))
  if (database.engine === 'sqlite') return readFile(database.path)
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query('create extension if not exists pg_prewarm')
  await client.query(`select pg_prewarm(oid, 'read') from pg_class where relkind in ('r', 'i')`)
  await client.end()
}

async function readFile(path: string): Promise<void> {
  const chunks = createReadStream(path, { highWaterMark: 2 ** 22 })
  chunks.resume()
  await new Promise((resolve, reject) => chunks.on('close', resolve).on('error', reject))
}
