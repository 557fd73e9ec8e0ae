import assert from 'node:assert/strict'
import { chown, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { CERTIFICATE, CERTIFICATE_KEY } from '../support/certificate.ts'
import { createClient } from '../support/client.ts'
import { runInProcess } from '../support/command.ts'
import { getFreePort } from '../support/free-port.ts'
import { type Postgres, query, startPostgres, type TestDatabase } from '../support/postgres.ts'
import { type Cluster, createCluster } from '../support/postgres-cluster.ts'
import { newSecret, startProcess } from '../support/process.ts'

describe('PostgreSQL with TLS', () => {
  let cluster: Cluster
  let postgres: Postgres
  let database: TestDatabase
  let certificateFile: string

  before(async () => {
    cluster = await createCluster()
    certificateFile = await writeForServer('certificate.pem', CERTIFICATE)
    const keyFile = await writeForServer('key.pem', CERTIFICATE_KEY)
    const settings = ['ssl=on', `ssl_cert_file=${certificateFile}`, `ssl_key_file=${keyFile}`]
    postgres = await startPostgres({ cluster, settings })
    database = await postgres.createDatabase()
  })
  after(() => postgres?.stop())

  async function writeForServer(name: string, content: string): Promise<string> {
    const path = join(cluster.folder, name)
    await writeFile(path, content, { mode: 0o600 })
    const { uid, gid } = await stat(cluster.folder)
    await chown(path, uid, gid)
    return path
  }

  function urlOf(host: string, parameters: string): string {
    return `${database.url.replace('127.0.0.1', host)}?${parameters}`
  }

  test('Every connection of a service is encrypted with sslmode=verify-full, and none without it', async (t) => {
    const trusting = `sslmode=verify-full&sslrootcert=${certificateFile}`
    const other = `localhost:${await getFreePort()},localhost`
    const services: [url: string, isEncrypted: boolean][] = [
      [urlOf('localhost', trusting), true],
      [urlOf(other, `${trusting}&target_session_attrs=read-write`), true],
      [database.url, false],
    ]
    for (const [url, isEncrypted] of services) {
      const service = await startProcess(url, { SECRET: newSecret() })
      t.after(() => service.child.kill('SIGKILL'))
      assert.equal((await createClient(service.baseUrl).get('/readyz')).status, 200)
      const connections = await listConnections()
      assert.ok(
        connections.length > 0 && connections.every(({ ssl }) => ssl === isEncrypted),
        JSON.stringify(connections),
      )
      service.child.kill('SIGTERM')
      await service.ended
      await query(database.url, 'drop schema public cascade; create schema public')
    }
  })

  test('A server whose certificate is unknown, or of another host, is refused with one sentence', async () => {
    const refusals: [url: string, reason: RegExp][] = [
      [urlOf('localhost', 'sslmode=verify-full'), /self-signed certificate/],
      [
        urlOf('127.0.0.1', `sslmode=verify-full&sslrootcert=${certificateFile}`),
        /does not match certificate's altnames/,
      ],
    ]
    for (const [DATABASE_URL, reason] of refusals) {
      const { code, errors } = await runInProcess(['migrate'], { DATABASE_URL, SECRET: newSecret() })
      assert.equal(code, 1)
      assert.match(errors, /^The database of DATABASE_URL can't be used: .+ Check sslmode and sslrootcert/)
      assert.match(errors, reason)
      assert.doesNotMatch(errors, / at .*:\d+:\d+/)
    }
  })

  /** The connections of Accounts. */
  function listConnections(): Promise<{ ssl: boolean }[]> {
    const statement = `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'accounts'`
    return query(database.url, statement)
  }
})
