import { type Bench, CONNECTIONS, type Engine, formatNumber } from './bench.ts'
import { startBetterAuth } from './better-auth/start.ts'
import type { Bar, Finding } from './finding.ts'
import { closedLoad } from './load/closed-load.ts'
import { getSessionRequests } from './load/requests.ts'
import { startAccounts } from './ours/start.ts'
import { SESSION_COUNT, type SeededSession, sample } from './population.ts'
import { captureAnswer } from './raw-http/capture.ts'
import { startRawHttp } from './raw-http/start.ts'
import { measureInRounds, median, medianOf, ratioOf } from './rounds.ts'
import type { RunningServer } from './server-process.ts'

/** About the number of users who work at the same time. */
const ACTIVE_SESSIONS = 1_000

type Compared = 'betterAuth' | 'raw' | 'ofAll'

const BARS: Record<Engine, Partial<Record<Compared, Bar>>> = {
  SQLite: { betterAuth: { atLeast: 50 }, raw: { atLeast: 0.5 }, ofAll: { atLeast: 0.25 } },
  PostgreSQL: { betterAuth: { atLeast: 15 }, raw: { atLeast: 0.3 } },
}

const LABELS = {
  ours: 'Accounts',
  ofAll: 'Accounts, all sessions in turn',
  raw: 'node:http with the same bytes',
  betterAuth: 'Better Auth',
  likeForLike: 'Better Auth that signs no JWT for it',
} as const

type Name = keyof typeof LABELS
interface Figures {
  perSecond: Record<Name, number>
  cpuMicroseconds: Record<Name, number>
  ratio: (denominator: Name, numerator?: Name) => number
}

/** Measures the session check, on which every page and every other service waits. */
export async function measureGetSession(bench: Bench, engine: Engine): Promise<Finding[]> {
  const figures = await measure(bench, engine)
  const { ratio, perSecond, cpuMicroseconds } = figures
  const bars = BARS[engine]
  const what = `get-session on ${engine}, ${formatNumber(ACTIVE_SESSIONS)} of ${formatNumber(SESSION_COUNT)} sessions`
  const against = (name: Name) => `${LABELS[name]}: ${formatNumber(perSecond[name])}/s`
  const ours = `${formatNumber(perSecond.ours)}/s`
  const ofAll = `${formatNumber(perSecond.ofAll)}/s`
  const cpu = (name: Name) => `${formatNumber(cpuMicroseconds[name])} µs`
  return [
    { what, ours, against: against('betterAuth'), value: ratio('betterAuth'), unit: '×', bar: bars.betterAuth },
    { what, ours, against: against('likeForLike'), value: ratio('likeForLike'), unit: '×' },
    { what, ours, against: against('raw'), value: ratio('raw'), unit: '×', bar: bars.raw },
    {
      what: `get-session on ${engine}, all sessions`,
      ours: ofAll,
      against: against('raw'),
      value: ratio('raw', 'ofAll'),
      unit: '×',
      bar: bars.ofAll,
    },
    {
      what: `CPU time per get-session on ${engine}`,
      ours: cpu('ours'),
      against: `node:http: ${cpu('raw')}; Better Auth: ${cpu('betterAuth')}`,
      value: cpuMicroseconds.ours / cpuMicroseconds.raw,
      unit: '×',
    },
  ]
}

async function measure(bench: Bench, engine: Engine): Promise<Figures> {
  const { workplace } = bench
  const { url, sessions } = await bench.accountsDatabase(engine)
  const other = await bench.betterAuthDatabase(engine)
  const active = sample(sessions, ACTIVE_SESSIONS)
  const theirs = sample(other.sessions, ACTIVE_SESSIONS)
  const accounts = await startAccounts(workplace, url)
  const first = active[0]!
  const raw = await startRawHttp(workplace, await captureAnswer(accounts.port, first.token))
  const betterAuth = await startBetterAuth(workplace, other.url)
  const likeForLike = await startBetterAuth(workplace, other.url, { signsOnGetSession: false })

  const cpu: Record<Name, number[]> = { ours: [], ofAll: [], raw: [], betterAuth: [], likeForLike: [] }
  const rate = (name: Name, server: RunningServer, senders: Pick<SeededSession, 'token' | 'userId'>[]) => async () => {
    const requests = getSessionRequests(server.port, senders)
    const result = await closedLoad(
      bench,
      `get-session on ${engine}, ${LABELS[name]}`,
      server,
      requests,
      CONNECTIONS[engine],
    )
    cpu[name].push(result.serverCpuMicrosecondsPerAnswer)
    return result.answersPerSecond
  }
  const rounds = await measureInRounds<Name>(bench, {
    ours: rate('ours', accounts, active),
    raw: rate(
      'raw',
      raw,
      active.map(({ token }) => ({ token, userId: first.userId })),
    ),
    betterAuth: rate('betterAuth', betterAuth, theirs),
    likeForLike: rate('likeForLike', likeForLike, theirs),
    ofAll: rate('ofAll', accounts, sessions),
  })
  await Promise.all([accounts, raw, betterAuth, likeForLike].map((server) => server.stop()))
  return {
    perSecond: eachName((name) => medianOf(rounds, name)),
    cpuMicroseconds: eachName((name) => median(cpu[name])),
    ratio: (denominator, numerator = 'ours') => ratioOf(rounds, numerator, denominator),
  }
}

function eachName(figure: (name: Name) => number): Record<Name, number> {
  const names = Object.keys(LABELS) as Name[]
  return Object.fromEntries(names.map((name) => [name, figure(name)])) as Record<Name, number>
}
