import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { SESSION_COOKIE } from '../../server/platform/http/cookies.ts'
import { findFreePort } from '../../test/support/free-port.ts'
import { type Bench, formatNumber } from '../bench.ts'
import type { Finding } from '../finding.ts'
import { PASSWORD } from '../population.ts'
import type { Sent } from './call.ts'
import { openDatabases } from './databases.ts'
import { idOf, organizationOf } from './names.ts'
import { type MeasuredService, startMeasured } from './service.ts'
import { sendTimed } from './timed-request.ts'

const BROWSERS = 6
const SAMPLE_MILLISECONDS = 10_000
/** Until caches and pools are full. */
const WARM_UP_SHARE = 0.25
const GROWTH_MAXIMUM = 1.1

/** What must not grow: everything but the rows that users have added. */
interface Sample {
  residentMebibytes: number
  heapMebibytes: number
  openFiles: number
  handles: number
  connections: number
  walMebibytes: number
  requests: number
}

/** Minutes of sign-ins, session checks, tokens, changes and sign-outs. */
export async function measureEndurance(bench: Bench): Promise<Finding[]> {
  const findings: Finding[] = []
  const { sizes, engines, out } = bench.scale
  const users = sizes[Math.min(1, sizes.length - 1)]!
  for (const engine of engines) {
    const databases = await openDatabases(bench, engine)
    const samples = await run(bench, await databases.find(users), users)
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, `endurance-${engine}.json`), `${JSON.stringify(samples, null, 2)}\n`)
    findings.push(...toFindings(engine, samples))
    await databases.stop()
  }
  return findings
}

async function run(bench: Bench, databaseUrl: string, users: number): Promise<Sample[]> {
  const metricsPort = await findFreePort()
  const service = await startMeasured(bench.workplace, databaseUrl, { METRICS_PORT: String(metricsPort) })
  const work = { requests: 0, isOver: false, next: service.context.now() % users }
  const browsers = Array.from({ length: BROWSERS }, () => browse(service, users, work))
  const samples: Sample[] = []
  for (let time = 0; time < bench.scale.minutes * 60_000; time += SAMPLE_MILLISECONDS) {
    await Promise.race([pause(SAMPLE_MILLISECONDS), ...browsers])
    samples.push(await takeSample(service, metricsPort, work.requests))
    bench.progress(`${service.engine}: ${JSON.stringify(samples.at(-1))}`)
  }
  work.isOver = true
  await Promise.all(browsers)
  await service.stop()
  return samples
}

/** One user after the other, as one browser each. @throws Error for a refusal */
async function browse(
  service: MeasuredService,
  users: number,
  work: { requests: number; isOver: boolean; next: number },
): Promise<void> {
  while (!work.isOver) {
    work.next += 1
    // Of the first half: the measurement of changes gives others new passwords.
    const number = 1 + ((work.next * 7_919) % (users / 2))
    const user = await service.context.database
      .selectFrom('users')
      .select('email')
      .where('id', '=', idOf('usr', number))
      .where('banned', '=', 0)
      .where('emailVerified', '=', 1)
      .where('twoFactorEnabled', '=', 0)
      .executeTakeFirst()
    if (user) work.requests += await visit(service, user.email, `organization-${organizationOf(number)}`)
  }
}

/** @returns the number of requests */
async function visit({ baseUrl, client: newClient }: MeasuredService, email: string, org: string): Promise<number> {
  const client = newClient()
  const signedIn = await client.post('/api/auth/sign-in/email', { email, password: PASSWORD })
  if (signedIn.status !== 200) throw new Error(`sign-in returned ${signedIn.status}: ${JSON.stringify(signedIn.body)}`)
  client.cookies.set(SESSION_COOKIE, signedIn.body.token)
  const requests: [name: string, sent: Omit<Sent, 'client'>][] = [
    ...Array.from({ length: 10 }, (): [string, object] => ['GET /api/auth/get-session', {}]),
    ['GET /api/token', { query: { org } }],
    ['POST /api/auth/update-session', { body: { theme: 'dark' } }],
    ['POST /api/auth/update-user', { body: { name: 'Another Name' } }],
    ['GET /api/auth/list-sessions', {}],
    ['POST /api/auth/sign-out', { body: {} }],
  ]
  for (const [name, sent] of requests) await sendTimed(baseUrl, name, { client, ...sent })
  return requests.length + 1
}

async function takeSample(service: MeasuredService, metricsPort: number, requests: number): Promise<Sample> {
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1] ?? Number.NaN)
  return {
    residentMebibytes: service.server.residentMebibytes() ?? 0,
    heapMebibytes: metric('nodejs_heap_size_used_bytes') / 2 ** 20,
    openFiles: metric('process_open_fds'),
    handles: metric('nodejs_active_handles_total'),
    ...(await sampleDatabase(service)),
    requests,
  }
}

async function sampleDatabase({ config, context }: MeasuredService) {
  if (config.database.engine === 'sqlite') {
    const wal = statSync(`${config.database.path}-wal`, { throwIfNoEntry: false })
    return { connections: 1, walMebibytes: (wal?.size ?? 0) / 2 ** 20 }
  }
  const { rows } = await sql<{ connections: number; walBytes: number }>`
    select (select count(*) from pg_stat_activity where datname = current_database())::int as connections,
      (select sum(size) from pg_ls_waldir())::float as "walBytes"`.execute(context.database)
  const [row = { connections: 0, walBytes: 0 }] = rows
  return { connections: row.connections, walMebibytes: row.walBytes / 2 ** 20 }
}

const COMPARED = ['residentMebibytes', 'heapMebibytes', 'openFiles', 'handles', 'connections', 'walMebibytes'] as const

/** Compares the quarter after the warm-up with the last one. */
function toFindings(engine: string, samples: Sample[]): Finding[] {
  const quarter = Math.max(1, Math.floor(samples.length * WARM_UP_SHARE))
  const early = samples.slice(quarter, 2 * quarter)
  const late = samples.slice(-quarter)
  const requests = samples.at(-1)?.requests ?? 0
  return COMPARED.map((name) => {
    const [before, after] = [meanOf(early, name), meanOf(late, name)]
    return {
      what: `endurance on ${engine}, ${name}, after ${formatNumber(requests)} requests`,
      ours: formatNumber(after),
      against: `after the warm-up: ${formatNumber(before)}`,
      value: after / before,
      unit: '×' as const,
      bar: { atMost: GROWTH_MAXIMUM },
    }
  })
}

function meanOf(samples: Sample[], name: keyof Sample): number {
  return samples.reduce((sum, sample) => sum + sample[name], 0) / samples.length
}
