import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, formatNumber } from './bench.ts'
import type { Finding } from './finding.ts'
import { HASHES_PASSWORDS, startBareServer, toBareRequests } from './limits/bare-server.ts'
import type { LoadResult, PlannedRequest } from './load/plan.ts'
import { getSessionRequests, wrongSignInRequests } from './load/requests.ts'
import { runLoad } from './load/run-load.ts'
import { startAccounts } from './ours/start.ts'
import { emailOf, numbers, type SeededSession, sample } from './population.ts'
import { measureInRounds, medianOf, type Rounds, ratioOf } from './rounds.ts'
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
/** The time until the password queue is empty, and every delayed 503 is sent. */
const RECOVERY_MILLISECONDS = 3_000

interface Target {
  server: RunningServer
  sessionChecks: PlannedRequest[]
  wrongSignIns: PlannedRequest[]
}

/** The behavior of a client of the flood after a 503. */
type Client = 'waits' | 'never waits'
type Load = 'idle' | Client
type Name = `${'ours' | 'bare'}, ${Load}`

/** Measures the p99 of session checks during a flood of wrong passwords, and that of a `node:http` server. */
export async function measureFlood(bench: Bench): Promise<Finding[]> {
  const database = await bench.accountsDatabase('SQLite')
  const sessions = sample(database.sessions, ACTIVE_SESSIONS)
  const targets = {
    ours: targetOf(await startAccounts(bench.workplace, database.url), sessions),
    bare: toBare(targetOf(await startBareServer(bench.workplace, HASHES_PASSWORDS), sessions)),
  }
  const results = new Map<Name, LoadResult[]>()
  const p99 = (who: keyof typeof targets, load: Load) => async () => {
    const target = targets[who]
    const result = await (load === 'idle' ? probe(bench, target, load) : probeInFlood(bench, target, load))
    results.set(`${who}, ${load}`, [...(results.get(`${who}, ${load}`) ?? []), result])
    return result.latencyMilliseconds.p99
  }
  const rounds = await measureInRounds<Name>(bench, {
    'ours, idle': p99('ours', 'idle'),
    'bare, idle': p99('bare', 'idle'),
    'ours, waits': p99('ours', 'waits'),
    'bare, waits': p99('bare', 'waits'),
    'ours, never waits': p99('ours', 'never waits'),
    'bare, never waits': p99('bare', 'never waits'),
  })
  await Promise.all(Object.values(targets).map(({ server }) => server.stop()))
  return (['waits', 'never waits'] as const).flatMap((client) =>
    findings(client, rounds, results.get(`ours, ${client}`) ?? []),
  )
}

function targetOf(server: RunningServer, sessions: SeededSession[]): Target {
  const emails = numbers(GUESSED_ACCOUNTS).map(emailOf)
  return {
    server,
    sessionChecks: getSessionRequests(server.port, sessions),
    wrongSignIns: wrongSignInRequests(server.port, emails),
  }
}

function toBare({ server, sessionChecks, wrongSignIns }: Target): Target {
  const toRequests = (requests: PlannedRequest[]) => toBareRequests(requests, HASHES_PASSWORDS)
  return { server, sessionChecks: toRequests(sessionChecks), wrongSignIns: toRequests(wrongSignIns) }
}

function findings(client: Client, rounds: Rounds<Name>, floods: LoadResult[]): Finding[] {
  const flood = `${FLOOD_CONNECTIONS} wrong sign-ins, ${client} after a 503`
  const milliseconds = (name: Name) => `${formatNumber(medianOf(rounds, name))} ms`
  const ours = milliseconds(`ours, ${client}`)
  const errors = floods.flatMap(({ others }) => Object.entries(others))
  const bareGrowth = `${formatNumber(ratioOf(rounds, `bare, ${client}`, 'bare, idle'))} × its idle`
  return [
    {
      what: `get-session p99, ${flood}`,
      ours,
      against: `idle: ${milliseconds('ours, idle')}`,
      value: ratioOf(rounds, `ours, ${client}`, 'ours, idle'),
      unit: '×',
      bar: { atMost: 5 },
    },
    {
      what: `get-session p99, ${flood}`,
      ours,
      against: `${HASHES_PASSWORDS.name}: ${milliseconds(`bare, ${client}`)}, ${bareGrowth}`,
      value: ratioOf(rounds, `ours, ${client}`, `bare, ${client}`),
      unit: '×',
    },
    {
      what: `get-session errors, ${flood}`,
      ours: errors.map(([what, count]) => `${count} × ${what}`).join(', ') || 'none',
      against: `of ${formatNumber(floods.reduce((sum, { answers }) => sum + answers, 0))}`,
      value: errors.reduce((sum, [, count]) => sum + count, 0),
      unit: 'errors',
      bar: { atMost: 0 },
    },
  ]
}

async function probe(bench: Bench, { server, sessionChecks }: Target, load: Load): Promise<LoadResult> {
  const { warmUpMilliseconds, durationMilliseconds } = bench.pace
  const result = await runLoad(bench.workplace, {
    port: server.port,
    requests: sessionChecks,
    connections: PROBE_CONNECTIONS,
    requestsPerSecond: PROBES_PER_SECOND,
    warmUpMilliseconds,
    durationMilliseconds,
  })
  const { p50, p99, maximum } = result.latencyMilliseconds
  const [middle, late, latest] = [p50, p99, maximum].map(formatNumber)
  bench.progress(
    `get-session of ${server.name}, ${load}: p50 ${middle} ms, p99 ${late} ms, at most ${latest} ms, others ${JSON.stringify(result.others)}`,
  )
  return result
}

async function probeInFlood(bench: Bench, target: Target, client: Client): Promise<LoadResult> {
  const { server, wrongSignIns } = target
  const { warmUpMilliseconds, durationMilliseconds } = bench.pace
  const flood = runLoad(bench.workplace, {
    port: server.port,
    requests: wrongSignIns,
    connections: FLOOD_CONNECTIONS,
    restAfterRefusalMilliseconds: client === 'waits' ? OBEDIENT_REST_MILLISECONDS : 0,
    warmUpMilliseconds: FLOOD_HEAD_START_MILLISECONDS,
    durationMilliseconds: warmUpMilliseconds + durationMilliseconds,
  })
  await pause(FLOOD_HEAD_START_MILLISECONDS)
  const result = await probe(bench, target, client)
  const { answersPerSecond, others } = await flood
  bench.progress(
    `wrong sign-ins to ${server.name}: ${formatNumber(answersPerSecond)}/s answered with 401; ${JSON.stringify(others)}`,
  )
  await pause(RECOVERY_MILLISECONDS)
  return result
}
