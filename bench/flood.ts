import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, formatNumber } from './bench.ts'
import type { Finding } from './finding.ts'
import type { LoadResult } from './load/plan.ts'
import { getSessionRequests, wrongSignInRequests } from './load/requests.ts'
import { runLoad } from './load/run-load.ts'
import { startAccounts } from './ours/start.ts'
import { emailOf, numbers, type SeededSession, sample } from './population.ts'
import type { RunningServer } from './server-process.ts'

const ACTIVE_SESSIONS = 1_000
/** Well below the limit of the service, so that latencies do not measure a queue. */
const PROBES_PER_SECOND = 500
const PROBE_CONNECTIONS = 64
const FLOOD_CONNECTIONS = 500
/** The time until every connection of the flood is open and the password queue is full. */
const FLOOD_HEAD_START_MILLISECONDS = 2_000
/** The number of guessed users, half of them unknown, so that the limit per account does not end the flood. */
const GUESSED_ACCOUNTS = 20_000
/** The Retry-After of a 503. */
const OBEDIENT_REST_MILLISECONDS = 1_000

/** Measures the latency of session checks during a flood of wrong passwords. */
export async function measureFlood(bench: Bench): Promise<Finding[]> {
  const database = await bench.accountsDatabase('SQLite')
  const sessions = sample(database.sessions, ACTIVE_SESSIONS)
  const accounts = await startAccounts(bench.workplace, database.url)
  await probe(bench, accounts, sessions, 'warming up')
  const idle = await probe(bench, accounts, sessions, 'idle')
  const obedient = await underFlood(bench, accounts, OBEDIENT_REST_MILLISECONDS, () =>
    probe(bench, accounts, sessions, 'flood that waits after a 503'),
  )
  const reckless = await underFlood(bench, accounts, 0, () =>
    probe(bench, accounts, sessions, 'flood that never waits'),
  )
  await accounts.stop()
  return [
    ...findings(`${FLOOD_CONNECTIONS} wrong sign-ins that wait after a 503`, obedient, idle),
    ...findings(`${FLOOD_CONNECTIONS} wrong sign-ins that never wait`, reckless, idle),
  ]
}

function findings(flood: string, during: LoadResult, idle: LoadResult): Finding[] {
  const errors = Object.entries(during.others)
  return [
    {
      what: `get-session p99 during ${flood}`,
      ours: `${formatNumber(during.latencyMilliseconds.p99)} ms`,
      against: `idle: ${formatNumber(idle.latencyMilliseconds.p99)} ms`,
      value: during.latencyMilliseconds.p99 / idle.latencyMilliseconds.p99,
      unit: '×',
      bar: { atMost: 5 },
    },
    {
      what: `get-session errors during ${flood}`,
      ours: errors.map(([what, count]) => `${count} × ${what}`).join(', ') || 'none',
      against: `of ${formatNumber(during.answers)}`,
      value: errors.reduce((sum, [, count]) => sum + count, 0),
      unit: 'errors',
      bar: { atMost: 0 },
    },
  ]
}

async function probe(
  bench: Bench,
  server: RunningServer,
  sessions: SeededSession[],
  label: string,
): Promise<LoadResult> {
  const { warmUpMilliseconds, durationMilliseconds, rounds } = bench.pace
  const result = await runLoad(bench.workplace, {
    port: server.port,
    requests: getSessionRequests(server.port, sessions),
    connections: PROBE_CONNECTIONS,
    requestsPerSecond: PROBES_PER_SECOND,
    warmUpMilliseconds,
    durationMilliseconds: durationMilliseconds * Math.min(rounds, 3),
  })
  const { p50, p99, maximum } = result.latencyMilliseconds
  const [middle, late, latest] = [p50, p99, maximum].map(formatNumber)
  bench.progress(
    `get-session, ${label}: p50 ${middle} ms, p99 ${late} ms, at most ${latest} ms, others ${JSON.stringify(result.others)}`,
  )
  return result
}

async function underFlood(
  bench: Bench,
  server: RunningServer,
  restAfterRefusalMilliseconds: number,
  measure: () => Promise<LoadResult>,
): Promise<LoadResult> {
  const { warmUpMilliseconds, durationMilliseconds, rounds } = bench.pace
  const emails = numbers(GUESSED_ACCOUNTS).map(emailOf)
  const flood = runLoad(bench.workplace, {
    port: server.port,
    requests: wrongSignInRequests(server.port, emails),
    connections: FLOOD_CONNECTIONS,
    restAfterRefusalMilliseconds,
    warmUpMilliseconds: FLOOD_HEAD_START_MILLISECONDS,
    durationMilliseconds: warmUpMilliseconds + durationMilliseconds * Math.min(rounds, 3),
  })
  await pause(FLOOD_HEAD_START_MILLISECONDS)
  const result = await measure()
  const { answersPerSecond, others } = await flood
  bench.progress(`wrong sign-ins: ${formatNumber(answersPerSecond)}/s answered with 401; ${JSON.stringify(others)}`)
  return result
}
