import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { findFreePort } from './free-port.ts'
import { type Cluster, createCluster } from './postgres-cluster.ts'

export type TestDatabase = { url: string; drop(): Promise<void> }

export type Databases = {
  url(databaseName: string): string
  /** An empty database of its own for the caller, who drops it when done. */
  createDatabase(): Promise<TestDatabase>
}

export type Postgres = Databases & {
  /** Kills the server as a power cut would, leaving its data to `restart`. */
  kill(): Promise<void>
  /** Stops all processes of the server where they are. @returns what lets them go on */
  freeze(): Promise<() => void>
  /** Starts the killed server again, on the same data and port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const startTimeoutInMilliseconds = 60_000
const pauseInMilliseconds = 25
const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'dynamic_shared_memory_type=mmap',
  'max_connections=300',
]
const settingsForSpeed = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

async function query(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client(adminUrl)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Those that the server has started for itself and for its connections. */
async function processesOf(adminUrl: string): Promise<number[]> {
  const client = new pg.Client(adminUrl)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity')
  await client.end()
  return rows.map(({ pid }) => pid)
}

function signal(processId: number, name: NodeJS.Signals): void {
  try {
    process.kill(processId, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function databasesOf(adminUrl: string): Databases {
  const url = (databaseName: string) => Object.assign(new URL(adminUrl), { pathname: `/${databaseName}` }).href
  const createDatabase = async () => {
    const name = `test_${randomBytes(8).toString('hex')}`
    await query(adminUrl, `create database ${name}`)
    return { url: url(name), drop: () => query(adminUrl, `drop database ${name} with (force)`) }
  }
  return { url, createDatabase }
}

const answers = (adminUrl: string): Promise<boolean> =>
  query(adminUrl, 'select 1').then(
    () => true,
    () => false,
  )

const hasEnded = (server: ChildProcess) => server.exitCode !== null || server.signalCode !== null

/** Resolves to whether the server got as far as answering; false when it ended instead. */
async function comesUp(server: ChildProcess, adminUrl: string): Promise<boolean> {
  const giveUpAt = Date.now() + startTimeoutInMilliseconds
  while (!hasEnded(server)) {
    if (await answers(adminUrl)) return !hasEnded(server)
    if (Date.now() > giveUpAt) throw new Error('PostgreSQL did not come up in time')
    await pause(pauseInMilliseconds)
  }
  return false
}

/**
 * Several attempts, since another process may have taken the port, and since what is left of a killed server
 * holds on to its memory for a moment.
 */
async function serve(cluster: Cluster, port: number | undefined, serverSettings: string[]) {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const attemptPort = port ?? (await findFreePort())
    const adminUrl = `postgres://postgres:${cluster.password}@127.0.0.1:${attemptPort}/postgres`
    const server = cluster.spawnServer(attemptPort, serverSettings)
    if (await comesUp(server, adminUrl)) return { server, adminUrl, port: attemptPort }
    await pause(attempt * pauseInMilliseconds)
  }
  throw new Error(`PostgreSQL does not start:\n${await cluster.log()}`)
}

/**
 * A PostgreSQL 18 of our own, which ends at the latest when this process does.
 * @param options.durable keeps what it committed through `kill`, at the price of speed.
 */
export async function startPostgres(options: { durable?: boolean } = {}): Promise<Postgres> {
  const cluster = await createCluster()
  const serverSettings = options.durable ? settings : [...settings, ...settingsForSpeed]
  try {
    let { server, adminUrl, port } = await serve(cluster, undefined, serverSettings)
    const kill = async () => {
      const processIds = await processesOf(adminUrl)
      server.ref()
      const ended = once(server, 'exit')
      // Those that serve connections would else go on for a moment without it.
      server.kill('SIGSTOP')
      for (const processId of processIds) signal(processId, 'SIGKILL')
      server.kill('SIGKILL')
      await ended
    }
    const freeze = async () => {
      const processIds = [...(await processesOf(adminUrl)), server.pid ?? 0]
      for (const processId of processIds) signal(processId, 'SIGSTOP')
      return () => {
        for (const processId of processIds) signal(processId, 'SIGCONT')
      }
    }
    const restart = async () => {
      server = (await serve(cluster, port, serverSettings)).server
    }
    return { ...databasesOf(adminUrl), kill, freeze, restart, stop: cluster.remove }
  } catch (error) {
    await cluster.remove()
    throw error
  }
}

let ownPostgres: Promise<Postgres> | undefined

/** The server of the whole run (TEST_POSTGRES_URL), or one for this process, when a test file is run by itself. */
export async function postgresForTests(): Promise<Databases> {
  const sharedUrl = process.env.TEST_POSTGRES_URL
  if (sharedUrl) return databasesOf(sharedUrl)
  ownPostgres ??= startPostgres()
  return await ownPostgres
}
