import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { getFreePort } from './free-port.ts'
import { type Cluster, createCluster } from './postgres-cluster.ts'

export type TestDatabase = { url: string; drop(): Promise<void> }

export type Databases = {
  url(databaseName: string): string
  /** Creates an empty database, which the caller drops. @param options of `create database` */
  createDatabase(options?: string): Promise<TestDatabase>
}

export type Postgres = Databases & {
  port: number
  cluster: Cluster
  /** Kills the server like a power failure, and keeps its data for `restart`. */
  kill(): Promise<void>
  /** Stops all processes of the server by SIGSTOP. @returns the function that continues them */
  freeze(): Promise<() => void>
  /** Starts the killed server again, on the same data and port. */
  restart(): Promise<void>
  /** Stops the server as an operator does, and keeps its data. */
  shutDown(): Promise<void>
  /** Stops the server and removes its data. */
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

export async function query<Row extends object>(adminUrl: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(adminUrl)
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

/** Process ids of the server's background processes and connections. */
async function processesOf(adminUrl: string): Promise<number[]> {
  const rows = await query<{ pid: number }>(adminUrl, 'select pid from pg_stat_activity')
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
  const createDatabase = async (options = '') => {
    const name = `test_${randomBytes(8).toString('hex')}`
    await query(adminUrl, `create database ${name} ${options}`)
    const drop = async () => void (await query(adminUrl, `drop database ${name} with (force)`))
    return { url: url(name), drop }
  }
  return { url, createDatabase }
}

const answers = (adminUrl: string): Promise<boolean> =>
  query(adminUrl, 'select 1').then(
    () => true,
    () => false,
  )

const hasEnded = (server: ChildProcess) => server.exitCode !== null || server.signalCode !== null

/** Resolves to true when the server answers, and to false when it ended. */
async function comesUp(server: ChildProcess, adminUrl: string): Promise<boolean> {
  const giveUpAt = Date.now() + startTimeoutInMilliseconds
  while (!hasEnded(server)) {
    if (await answers(adminUrl)) return !hasEnded(server)
    if (Date.now() > giveUpAt) throw new Error('PostgreSQL did not come up in time')
    await pause(pauseInMilliseconds)
  }
  return false
}

/** Retries, because another process may take the port, and a killed server holds its shared memory for a moment. */
async function serve(cluster: Cluster, port: number | undefined, serverSettings: string[]) {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const attemptPort = port ?? (await getFreePort())
    const adminUrl = `postgres://postgres:${cluster.password}@127.0.0.1:${attemptPort}/postgres`
    const server = cluster.spawnServer(attemptPort, serverSettings)
    if (await comesUp(server, adminUrl)) return { server, adminUrl, port: attemptPort }
    await pause(attempt * pauseInMilliseconds)
  }
  throw new Error(`PostgreSQL does not start:\n${await cluster.log()}`)
}

type Options = {
  /** Keeps committed rows after `kill`, but is slower. */
  durable?: boolean
  settings?: string[]
  /** Existing data, by default a new cluster. */
  cluster?: Cluster
  /** By default a free port. */
  port?: number
}

/** Starts a PostgreSQL 18 server, which ends at the latest with this process. */
export async function startPostgres(options: Options = {}): Promise<Postgres> {
  const cluster = options.cluster ?? (await createCluster())
  const serverSettings = [...settings, ...(options.durable ? [] : settingsForSpeed), ...(options.settings ?? [])]
  try {
    let { server, adminUrl, port } = await serve(cluster, options.port, serverSettings)
    const kill = async () => {
      const processIds = await processesOf(adminUrl)
      server.ref()
      const ended = once(server, 'exit')
      // Without SIGSTOP, processes of connections continue for a moment without the server.
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
    const shutDown = async () => {
      server.ref()
      const ended = once(server, 'exit')
      server.kill('SIGINT')
      await ended
    }
    return { ...databasesOf(adminUrl), port, cluster, kill, freeze, restart, shutDown, stop: cluster.remove }
  } catch (error) {
    await cluster.remove()
    throw error
  }
}

let ownPostgres: Promise<Postgres> | undefined

/** The server of the whole run (TEST_POSTGRES_URL), or a server for this process when a test file runs alone. */
export async function postgresForTests(): Promise<Databases> {
  const sharedUrl = process.env.TEST_POSTGRES_URL
  if (sharedUrl) return databasesOf(sharedUrl)
  ownPostgres ??= startPostgres()
  return await ownPostgres
}
