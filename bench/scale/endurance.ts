import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { SESSION_COOKIE } from '../../server/platform/http/cookies.ts'
import { getFreePort } from '../../test/support/free-port.ts'
import type { Bench } from '../bench.ts'
import type { Finding } from '../finding.ts'
import { PASSWORD } from '../population.ts'
import type { Sent } from './call.ts'
import { sampleDatabase } from './database-sample.ts'
import { openDatabases } from './databases.ts'
import { type Endurance, type Sample, toFindings } from './endurance-findings.ts'
import { idOf, organizationOf } from './names.ts'
import { type MeasuredService, startMeasured } from './service.ts'
import { startSmtp } from './smtp.ts'
import { sendTimed } from './timed-request.ts'

const BROWSERS = 6
const SAMPLE_MILLISECONDS = 10_000

/**
 * Minutes of sign-ins, session checks, tokens, changes and sign-outs. Each sign-in comes from another network, whose counter
 * is needed for up to 15 minutes: until the first ones end, counters only become more.
 */
export async function measureEndurance(bench: Bench): Promise<Finding[]> {
  const findings: Finding[] = []
  const { sizes, engines, out } = bench.scale
  const users = sizes[Math.min(1, sizes.length - 1)]!
  const smtp = await startSmtp()
  for (const engine of engines) {
    const databases = await openDatabases(bench, engine)
    const endurance = await run(bench, await databases.find(users), users, smtp.url)
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, `endurance-${engine}.json`), `${JSON.stringify(endurance, null, 2)}\n`)
    findings.push(...toFindings(engine, endurance))
    await databases.stop()
  }
  smtp.close()
  return findings
}

async function run(bench: Bench, databaseUrl: string, users: number, smtpUrl: string): Promise<Endurance> {
  const metricsPort = await getFreePort()
  const environment = { METRICS_PORT: String(metricsPort), SMTP_URL: smtpUrl }
  const service = await startMeasured(bench.workplace, databaseUrl, environment, ['--trace-gc'])
  const work: Work = { requests: 0, refusals: [], isOver: false, next: service.context.now() % users }
  const browsers = Array.from({ length: BROWSERS }, () => browse(service, users, work))
  const { warmUpMinutes, minutes } = bench.scale
  const samples: Sample[] = []
  for (let time = 0; time < (warmUpMinutes + minutes) * 60_000; time += SAMPLE_MILLISECONDS) {
    await Promise.race([pause(SAMPLE_MILLISECONDS), ...browsers])
    const sample = await takeSample(service, metricsPort, work.requests)
    bench.progress(`${service.engine}: ${JSON.stringify(sample)}`)
    if (time >= warmUpMinutes * 60_000) samples.push(sample)
  }
  work.isOver = true
  await Promise.all(browsers)
  await service.stop()
  return { samples, refusals: work.refusals }
}

interface Work {
  requests: number
  /** The messages of refused requests. */
  refusals: string[]
  isOver: boolean
  /** The number of the last user. */
  next: number
}

/** One user after the other, as one browser each. A refusal ends the visit. */
async function browse(service: MeasuredService, users: number, work: Work): Promise<void> {
  while (!work.isOver) {
    work.next += 1
    // A user of the first half, because the measurement of changes gives the others new passwords.
    const number = 1 + ((work.next * 7_919) % (users / 2))
    const user = await service.context.database
      .selectFrom('users')
      .select('email')
      .where('id', '=', idOf('usr', number))
      .where('banned', '=', 0)
      .where('emailVerified', '=', 1)
      .where('twoFactorEnabled', '=', 0)
      .executeTakeFirst()
    if (!user) continue
    try {
      work.requests += await visit(service, user.email, `organization-${organizationOf(number)}`)
    } catch (error) {
      work.refusals.push((error as Error).message)
    }
  }
}

/** @returns the number of requests. @throws Error for a refusal */
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
    heapMebibytes: heapAfterCollection(service.server.readLog()),
    openFiles: metric('process_open_fds'),
    handles: metric('nodejs_active_handles_total'),
    eventLoopDelayMilliseconds: metric('nodejs_eventloop_lag_p99_seconds') * 1000,
    ...(await sampleDatabase(service)),
    requests,
  }
}

/**
 * Between collections, most of the heap is garbage. Threads collect theirs too; the main thread, which starts them, is the
 * first one of the log.
 * @param log of `--trace-gc`
 */
function heapAfterCollection(log: string): number {
  const [mainThread = ''] = /^\[\d+:0x[0-9a-f]+\]/m.exec(log) ?? []
  const collections = log
    .split('\n')
    .filter((line) => line.startsWith(mainThread))
    .flatMap((line) => [...line.matchAll(/ Mark-Compact .*? -> ([\d.]+)/g)])
  return Number(collections.at(-1)?.[1] ?? Number.NaN)
}
