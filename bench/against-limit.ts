import { type Bench, formatNumber } from './bench.ts'
import { startBetterAuth } from './better-auth/start.ts'
import type { Finding } from './finding.ts'
import type { Limit } from './limits/limit.ts'
import { closedLoad } from './load/closed-load.ts'
import type { PlannedRequest } from './load/plan.ts'
import { startAccounts } from './ours/start.ts'
import { measureInRounds, median, medianOf, type Rounds, ratioOf } from './rounds.ts'

/** An endpoint that spends its time on cryptography, so the machine limits its rate. */
export interface BoundedEndpoint {
  what: string
  ours: (port: number) => PlannedRequest[]
  betterAuth: (port: number) => PlannedRequest[]
  betterAuthName: string
  limit: (durationMilliseconds: number) => Promise<Limit>
  limitName: string
  /** The required share of the limit. */
  bar: number
}

type Name = 'ours' | 'limit' | 'betterAuth'
type CpuMicroseconds = Record<Name, number[]>

/** Compares the rate of an endpoint with the limit of the machine and with Better Auth. */
export async function measureAgainstLimit(bench: Bench, endpoint: BoundedEndpoint): Promise<Finding[]> {
  const accounts = await startAccounts(bench.workplace)
  const betterAuth = await startBetterAuth(bench.workplace)
  const cpu: CpuMicroseconds = { ours: [], limit: [], betterAuth: [] }
  const rate = (name: 'ours' | 'betterAuth', server: typeof accounts) => async () => {
    const requests = endpoint[name](server.port)
    const result = await closedLoad(bench, `${endpoint.what}, ${server.name}`, server, requests)
    cpu[name].push(result.serverCpuMicrosecondsPerAnswer)
    return result.answersPerSecond
  }
  const rounds = await measureInRounds<Name>(bench, {
    ours: rate('ours', accounts),
    async limit() {
      const { perSecond, cpuMicroseconds } = await endpoint.limit(bench.pace.durationMilliseconds)
      const figures = `${formatNumber(perSecond)}/s, ${formatNumber(cpuMicroseconds)} µs of CPU each`
      bench.progress(`${endpoint.what}, ${endpoint.limitName}: ${figures}`)
      cpu.limit.push(cpuMicroseconds)
      return perSecond
    },
    betterAuth: rate('betterAuth', betterAuth),
  })
  await Promise.all([accounts.stop(), betterAuth.stop()])
  return findings(endpoint, rounds, cpu)
}

function findings(endpoint: BoundedEndpoint, rounds: Rounds<Name>, cpu: CpuMicroseconds): Finding[] {
  const { what, limitName, betterAuthName, bar } = endpoint
  const rate = (name: Name) => `${formatNumber(medianOf(rounds, name))}/s`
  const cpuTime = (name: Name) => `${formatNumber(median(cpu[name]))} µs`
  const toLimit = ratioOf(rounds, 'ours', 'limit')
  const toBetterAuth = ratioOf(rounds, 'ours', 'betterAuth')
  const ours = rate('ours')
  return [
    { what, ours, against: `${limitName}: ${rate('limit')}`, value: toLimit, unit: '×', bar: { atLeast: bar } },
    { what, ours, against: `${betterAuthName}: ${rate('betterAuth')}`, value: toBetterAuth, unit: '×' },
    {
      what: `CPU time per ${what}`,
      ours: cpuTime('ours'),
      against: `${limitName}: ${cpuTime('limit')}; ${betterAuthName}: ${cpuTime('betterAuth')}`,
      value: median(cpu.ours) / median(cpu.limit),
      unit: '×',
    },
  ]
}
