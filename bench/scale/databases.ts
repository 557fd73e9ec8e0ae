import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../test/support/postgres.ts'
import type { Bench } from '../bench.ts'
import { seed } from './seed/seed.ts'
import { environmentOf } from './service.ts'

/** Without them, seeding writes each row twice. */
const SETTINGS = ['wal_level=minimal', 'max_wal_senders=0', 'max_wal_size=8GB']

type SharedBench = Pick<Bench, 'workplace' | 'scale' | 'progress'>

export interface ScaleDatabases {
  /** The URL of a database with so many users, which is seeded if there is none. */
  find(users: number): Promise<string>
  stop(): Promise<void>
}

export function openDatabases(bench: SharedBench, engine: string): Promise<ScaleDatabases> {
  return engine === 'sqlite' ? openSqlite(bench) : openPostgres(bench)
}

async function openSqlite(bench: SharedBench): Promise<ScaleDatabases> {
  const folder = bench.scale.folder ?? bench.workplace.folder
  mkdirSync(folder, { recursive: true })
  return {
    async find(users) {
      const path = join(folder, `${users}.db`)
      if (!existsSync(path)) {
        const unfinished = `${path}.unfinished`
        for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${unfinished}${ending}`, { force: true })
        await seedAndReport(bench, `sqlite:${unfinished}`, users)
        renameSync(unfinished, path)
      }
      return `sqlite:${path}`
    },
    stop: async () => {},
  }
}

async function openPostgres(bench: SharedBench): Promise<ScaleDatabases> {
  const own =
    bench.scale.postgresUrl === undefined ? await startPostgres({ durable: true, settings: SETTINGS }) : undefined
  const adminUrl = bench.scale.postgresUrl ?? own!.url('postgres')
  const urlOf = (name: string) => Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href
  const query = async (statement: string) => {
    const client = new pg.Client(adminUrl)
    await client.connect()
    return client.query(statement).finally(() => client.end())
  }
  return {
    async find(users) {
      const name = `scale_${users}`
      const { rowCount } = await query(`select from pg_database where datname = '${name}'`)
      if (rowCount === 0) {
        await query(`drop database if exists ${name}_unfinished`)
        await query(`create database ${name}_unfinished`)
        await seedAndReport(bench, urlOf(`${name}_unfinished`), users)
        await query(`alter database ${name}_unfinished rename to ${name}`)
      }
      return urlOf(name)
    },
    async stop() {
      await own?.stop()
    },
  }
}

async function seedAndReport({ progress }: SharedBench, databaseUrl: string, users: number): Promise<void> {
  progress(`seeding ${users.toLocaleString('en')} users`)
  const startedAt = performance.now()
  await seed(environmentOf(databaseUrl), users)
  progress(`seeded ${users.toLocaleString('en')} users in ${Math.round((performance.now() - startedAt) / 1000)} s`)
}
