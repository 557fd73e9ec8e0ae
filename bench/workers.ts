import { type Bench, CONNECTIONS, formatNumber } from './bench.ts'
import type { Finding } from './finding.ts'
import { closedLoad } from './load/closed-load.ts'
import { workersOf } from './load/cpu-time.ts'
import { getSessionRequests } from './load/requests.ts'
import { limitToShareOfCore } from './load/share-of-core.ts'
import { startAccounts } from './ours/start.ts'
import { sample } from './population.ts'
import { measureInRounds, median, medianOf, ratioOf } from './rounds.ts'
import type { RunningServer } from './server-process.ts'

const ACTIVE_SESSIONS = 1_000
/** Two workers, the generator and PostgreSQL fit on two cores then. */
const SHARE_OF_CORE = 0.25

type Name = 'one' | 'two' | 'oneLimited' | 'twoLimited'
const LABELS: Record<Name, string> = {
  one: 'one worker',
  two: 'two workers',
  oneLimited: 'one worker with a quarter of a core',
  twoLimited: 'two workers with a quarter of a core each',
}

/**
 * Compares one worker with two. The generator and PostgreSQL run on the same machine. So the rate of two workers can
 * only double when each has a small share of a core. Without limits, the CPU times show the cost of a worker for the
 * others.
 */
export async function measureWorkers(bench: Bench): Promise<Finding[]> {
  const { url, sessions } = await bench.accountsDatabase('PostgreSQL')
  const active = sample(sessions, ACTIVE_SESSIONS)
  const cpu: Record<Name, number[]> = { one: [], two: [], oneLimited: [], twoLimited: [] }
  // Both servers run all the time, because an idle one costs nothing.
  const one = await startAccounts(bench.workplace, url)
  const two = await startAccounts(bench.workplace, url, { environment: { WORKERS: '2' } })
  const rate = (name: Name, server: RunningServer) => async () => {
    const requests = getSessionRequests(server.port, active)
    const label = `get-session on PostgreSQL, ${LABELS[name]}`
    const result = await closedLoad(bench, label, server, requests, CONNECTIONS.PostgreSQL)
    cpu[name].push(result.serverCpuMicrosecondsPerAnswer)
    return result.answersPerSecond
  }
  const limitedRate = (name: Name, server: RunningServer, workerIds: number[]) => async () => {
    const endLimit = limitToShareOfCore(workerIds, SHARE_OF_CORE)
    return rate(name, server)().finally(endLimit)
  }
  const rounds = await measureInRounds<Name>(bench, {
    one: rate('one', one),
    two: rate('two', two),
    oneLimited: limitedRate('oneLimited', one, [one.processId]),
    twoLimited: limitedRate('twoLimited', two, workersOf(two.processId)),
  })
  await Promise.all([one.stop(), two.stop()])
  const rateOf = (name: Name) => `${formatNumber(medianOf(rounds, name))}/s`
  return [
    {
      what: 'get-session with two workers of a quarter of a core',
      ours: rateOf('twoLimited'),
      against: `one worker of a quarter of a core: ${rateOf('oneLimited')}`,
      value: ratioOf(rounds, 'twoLimited', 'oneLimited'),
      unit: '×',
      bar: { atLeast: 1.6 },
    },
    {
      what: 'get-session with two workers',
      ours: rateOf('two'),
      against: `one worker: ${rateOf('one')}`,
      value: ratioOf(rounds, 'two', 'one'),
      unit: '×',
    },
    {
      what: 'CPU time per get-session with two workers',
      ours: `${formatNumber(median(cpu.two))} µs`,
      against: `one worker: ${formatNumber(median(cpu.one))} µs`,
      value: median(cpu.two) / median(cpu.one),
      unit: '×',
    },
  ]
}
