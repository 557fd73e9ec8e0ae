import { getFreePort } from './free-port.ts'
import { type Postgres, query, startPostgres } from './postgres.ts'
import { type Cluster, createCluster } from './postgres-cluster.ts'

export interface PostgresPair {
  primary: Postgres
  standby: Postgres
  /** The URL of a database with both hosts. */
  url(databaseName: string): string
  /** Makes the standby the primary, which no longer waits for a standby. */
  promote(): Promise<void>
  /** After `promote`: stops the primary for a moment and gives it a new standby on the port of the former primary. */
  renewStandby(): Promise<void>
  stop(): Promise<void>
}

/** COMMIT waits until the standby shows the change. */
const PRIMARY_SETTINGS = ['synchronous_standby_names=*', 'synchronous_commit=remote_apply', 'wal_keep_size=1GB']

/** Starts two real servers on this machine: a primary, and a standby that replicates synchronously. */
export async function startPostgresPair(): Promise<PostgresPair> {
  const original = await createCluster()
  const copy = await createCluster({ original })
  const ports = { primary: await getFreePort(), standby: await getFreePort() }
  const pair: PostgresPair = {
    ...(await startBoth(original, copy, ports)),
    url: (databaseName) => {
      const hosts = [...Object.values(ports)].map((port) => `127.0.0.1:${port}`)
      return `postgres://postgres:${original.password}@${hosts}/${databaseName}?target_session_attrs=read-write`
    },
    async promote() {
      await query(pair.standby.url('postgres'), 'select pg_promote()')
    },
    async renewStandby() {
      const [former, next] = [pair.primary, pair.standby]
      await Promise.all([former.stop(), next.shutDown()])
      const renewed = await createCluster({ original: next.cluster })
      Object.assign(pair, await startBoth(next.cluster, renewed, { primary: next.port, standby: former.port }))
    },
    async stop() {
      await Promise.all([pair.primary.stop(), pair.standby.stop()])
    },
  }
  return pair
}

/** The primary answers before it has a standby, and its first COMMIT waits for it. */
async function startBoth(original: Cluster, copy: Cluster, ports: { primary: number; standby: number }) {
  const connection = `host=127.0.0.1 port=${ports.primary} user=postgres password=${original.password}`
  const [primary, standby] = await Promise.all([
    startPostgres({ durable: true, cluster: original, port: ports.primary, settings: PRIMARY_SETTINGS }),
    startPostgres({
      durable: true,
      cluster: copy,
      port: ports.standby,
      settings: [`primary_conninfo=${connection}`, 'synchronous_commit=remote_apply', 'wal_keep_size=1GB'],
    }),
  ])
  return { primary, standby }
}
