import { type Bench, CONNECTIONS, formatNumber } from './bench.ts'
import type { Finding } from './finding.ts'
import { closedLoad } from './load/closed-load.ts'
import { getSessionRequests } from './load/requests.ts'
import { startAccounts } from './ours/start.ts'
import { sample } from './population.ts'
import { measureInRounds, median, medianOf, ratioOf } from './rounds.ts'

const ACTIVE_SESSIONS = 1_000

/**
 * Compares one worker with two. The generator and PostgreSQL run on the same machine: without a core for each, the rate
 * can't double, but equal CPU times show that a worker costs the others nothing.
 */
export async function measureWorkers(bench: Bench): Promise<Finding[]> {
  const { url, sessions } = await bench.accountsDatabase('PostgreSQL')
  const active = sample(sessions, ACTIVE_SESSIONS)
  const cpu: Record<'one' | 'two', number[]> = { one: [], two: [] }
  // Both servers run all the time, because an idle one costs nothing.
  const one = await startAccounts(bench.workplace, url)
  const two = await startAccounts(bench.workplace, url, { workers: 2 })
  const rate = (name: 'one' | 'two', server: typeof one) => async () => {
    const requests = getSessionRequests(server.port, active)
    const label = `get-session on PostgreSQL, ${name} worker${name === 'one' ? '' : 's'}`
    const result = await closedLoad(bench, label, server, requests, CONNECTIONS.PostgreSQL)
    cpu[name].push(result.serverCpuMicrosecondsPerAnswer)
    return result.answersPerSecond
  }
  const rounds = await measureInRounds(bench, { one: rate('one', one), two: rate('two', two) })
  await Promise.all([one.stop(), two.stop()])
  return [
    {
      what: 'get-session with two workers',
      ours: `${formatNumber(medianOf(rounds, 'two'))}/s`,
      against: `one worker: ${formatNumber(medianOf(rounds, 'one'))}/s`,
      value: ratioOf(rounds, 'two', 'one'),
      unit: '×',
      bar: { atLeast: 1.6 },
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
