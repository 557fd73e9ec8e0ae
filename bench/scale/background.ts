import { type Bench, formatNumber } from '../bench.ts'
import type { Finding } from '../finding.ts'
import type { LoadResult } from '../load/plan.ts'
import { getSessionRequests, signInRequests } from '../load/requests.ts'
import { runLoad } from '../load/run-load.ts'
import type { SeededSession } from '../population.ts'
import { BACKLOGS, type Backlog } from './backlogs.ts'
import { openDatabases } from './databases.ts'
import { idOf, SESSIONS_PER_USER, tokenOf } from './names.ts'
import { readOnce } from './read-once.ts'
import { type MeasuredService, startMeasured } from './service.ts'
import { startSmtp } from './smtp.ts'

const USERS = 1_000
const SESSION_CHECKS_PER_SECOND = 100
const SIGN_INS_PER_SECOND = 2
const CONNECTIONS = 16
const WINDOW_MILLISECONDS = 10_000
/** A backlog that takes longer is reported with what is left of it. */
const WINDOWS_MAXIMUM = 6

interface Latencies {
  sessionChecks: LoadResult[]
  signIns: LoadResult[]
}

/** Background jobs with a backlog, in the largest population, while users sign in. */
export async function measureBackground(bench: Bench): Promise<Finding[]> {
  const findings: Finding[] = []
  const users = bench.scale.sizes.at(-1)!
  const smtp = await startSmtp()
  for (const engine of bench.scale.engines) {
    const databases = await openDatabases(bench, engine)
    const databaseUrl = await databases.find(users)
    await readOnce(databaseUrl)
    for (const backlog of BACKLOGS)
      findings.push(...(await measureBacklog(bench, { engine, databaseUrl, users, smtpUrl: smtp.url }, backlog)))
    await databases.stop()
  }
  smtp.close()
  return findings
}

interface Place {
  engine: string
  databaseUrl: string
  users: number
  smtpUrl: string
}

async function measureBacklog(bench: Bench, place: Place, backlog: Backlog): Promise<Finding[]> {
  const { engine, databaseUrl, users, smtpUrl } = place
  const environment = { SMTP_URL: smtpUrl }
  const before = await startMeasured(bench.workplace, databaseUrl, environment)
  const sessions = await listSessions(before, users)
  const idle: Latencies = { sessionChecks: [], signIns: [] }
  await probe(bench, before, sessions, idle)
  await before.server.stop()
  bench.progress(`${engine}: creating ${backlog.name}`)
  await backlog.create(before.context, users)
  const first = await backlog.countWaiting(before.context)
  await before.stop()

  const service = await startMeasured(bench.workplace, databaseUrl, environment)
  const during: Latencies = { sessionChecks: [], signIns: [] }
  const startedAt = performance.now()
  let left = first
  for (let window = 0; left > 0 && window < WINDOWS_MAXIMUM; window += 1) {
    await probe(bench, service, sessions, during)
    left = await backlog.countWaiting(service.context)
    bench.progress(`${engine}: ${left} ${backlog.name} left, session checks ${describe(during.sessionChecks.at(-1)!)}`)
  }
  const seconds = (performance.now() - startedAt) / 1000
  await service.stop()
  const rate = `${formatNumber((first - left) / seconds)}/s`
  return [
    toFinding(
      `${engine}, ${first} ${backlog.name} (${rate}, ${left} left): session checks`,
      during.sessionChecks,
      idle.sessionChecks,
    ),
    toFinding(`${engine}, ${first} ${backlog.name}: sign-ins`, during.signIns, idle.signIns),
  ]
}

async function listSessions({ context }: MeasuredService, users: number): Promise<SeededSession[]> {
  const numbers = Array.from({ length: USERS }, (_nothing, index) => 1 + ((index * 7_919) % users))
  const ids = numbers.map((number) => idOf('usr', number))
  const rows = await context.database
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', 'in', ids)
    .where('banned', '=', 0)
    .where('twoFactorEnabled', '=', 0)
    .execute()
  return rows.map(({ id, email }) => ({
    token: tokenOf('session', (Number(id.slice(4)) - 1) * SESSIONS_PER_USER + 2),
    userId: id,
    email,
    organizationSlug: '',
  }))
}

/** Both at a constant rate: a request that waits is counted with its wait. */
async function probe(
  { workplace }: Bench,
  { server }: MeasuredService,
  sessions: SeededSession[],
  latencies: Latencies,
): Promise<void> {
  const plan = { port: server.port, connections: CONNECTIONS, warmUpMilliseconds: 200 }
  const durationMilliseconds = WINDOW_MILLISECONDS
  const [sessionChecks, signIns] = await Promise.all([
    runLoad(workplace, {
      ...plan,
      durationMilliseconds,
      requestsPerSecond: SESSION_CHECKS_PER_SECOND,
      requests: getSessionRequests(server.port, sessions),
    }),
    runLoad(workplace, {
      ...plan,
      durationMilliseconds,
      requestsPerSecond: SIGN_INS_PER_SECOND,
      requests: signInRequests(server.port, sessions, 'new'),
    }),
  ])
  latencies.sessionChecks.push(sessionChecks)
  latencies.signIns.push(signIns)
}

function toFinding(what: string, during: LoadResult[], idle: LoadResult[]): Finding {
  const worst = worstOf(during)
  const others = during.flatMap(({ others }) => Object.entries(others).map(([text, count]) => `${count} × ${text}`))
  return {
    what,
    ours: [describe(worst), ...others].join(', '),
    against: `without: ${describe(worstOf(idle))}`,
    value: worst.latencyMilliseconds.p99,
    unit: 'ms',
  }
}

/** The window with the highest p99, and the longest wait of all. */
function worstOf(windows: LoadResult[]): LoadResult {
  const [worst] = windows.toSorted((one, other) => other.latencyMilliseconds.p99 - one.latencyMilliseconds.p99)
  if (!worst) throw new Error('There was no backlog, so nothing was measured')
  const maximum = Math.max(...windows.map(({ latencyMilliseconds }) => latencyMilliseconds.maximum))
  return { ...worst, latencyMilliseconds: { ...worst.latencyMilliseconds, maximum } }
}

function describe({ latencyMilliseconds: { p50, p99, maximum } }: LoadResult): string {
  return `p50 ${formatNumber(p50)}, p99 ${formatNumber(p99)}, longest ${formatNumber(maximum)} ms`
}
