import { type Bench, formatNumber, type SeededDatabase } from './bench.ts'
import { startBetterAuth } from './better-auth/start.ts'
import type { Finding } from './finding.ts'
import { startAccounts } from './ours/start.ts'
import { type SeededSession, sample } from './population.ts'
import { median } from './rounds.ts'
import type { RunningServer } from './server-process.ts'
import type { Workplace } from './workplace.ts'

const REQUESTS_BEFORE_IDLE = 100
const START_COUNT = 5

interface Footprint {
  startMilliseconds: number
  residentMebibytes: number
}

/** Measures the time from the start of a process to its first answer, and its memory after 100 requests. */
export async function measureFootprint(bench: Bench): Promise<Finding[]> {
  const ours = await footprint(bench, await bench.accountsDatabase('SQLite'), startAccounts)
  const theirs = await footprint(bench, await bench.betterAuthDatabase('SQLite'), startBetterAuth)
  return [
    {
      what: 'cold start to the first answer',
      ours: `${formatNumber(ours.startMilliseconds)} ms`,
      against: `Better Auth: ${formatNumber(theirs.startMilliseconds)} ms`,
      value: ours.startMilliseconds,
      unit: 'ms',
      bar: { atMost: 1_000 },
    },
    {
      what: `resident memory, idle after ${REQUESTS_BEFORE_IDLE} requests`,
      ours: `${formatNumber(ours.residentMebibytes)} MiB`,
      against: `Better Auth: ${formatNumber(theirs.residentMebibytes)} MiB`,
      value: ours.residentMebibytes,
      unit: 'MiB',
      bar: { atMost: 150 },
    },
  ]
}

async function footprint(
  { progress, workplace }: Bench,
  { url, sessions }: SeededDatabase,
  start: (workplace: Workplace, url: string) => Promise<RunningServer>,
): Promise<Footprint> {
  const footprints: Footprint[] = []
  while (footprints.length < START_COUNT) {
    const server = await start(workplace, url)
    await requestSessions(server, sample(sessions, REQUESTS_BEFORE_IDLE))
    const { name, startMilliseconds } = server
    const residentMebibytes = server.residentMebibytes() ?? Number.NaN
    progress(
      `${name}: first answer after ${formatNumber(startMilliseconds)} ms, ${formatNumber(residentMebibytes)} MiB resident`,
    )
    footprints.push({ startMilliseconds, residentMebibytes })
    await server.stop()
  }
  return {
    startMilliseconds: median(footprints.map((footprint) => footprint.startMilliseconds)),
    residentMebibytes: median(footprints.map((footprint) => footprint.residentMebibytes)),
  }
}

async function requestSessions({ name, port }: RunningServer, sessions: SeededSession[]): Promise<void> {
  for (const { token } of sessions) {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`http://localhost:${port}/api/auth/get-session`, { headers })
    if (!response.ok) throw new Error(`${name} answered ${response.status}`)
    await response.arrayBuffer()
  }
}
