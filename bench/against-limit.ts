import { type Bench, type Engine, formatNumber } from './bench.ts'
import { startBetterAuth } from './better-auth/start.ts'
import type { Finding } from './finding.ts'
import { type BareServer, startBareServer, toBareRequests } from './limits/bare-server.ts'
import type { Limit } from './limits/limit.ts'
import { closedLoads } from './load/closed-load.ts'
import type { LoadResult, PlannedRequest } from './load/plan.ts'
import { startAccounts } from './ours/start.ts'
import { type Contestants, measureInRounds, median, medianOf, type Rounds, ratioOf } from './rounds.ts'

/** An endpoint that spends its time on cryptography, so the machine limits its rate. */
export interface BoundedEndpoint {
  what: string
  engine: Engine
  connections: number
  ours: (port: number) => PlannedRequest[]
  /** Undefined where Better Auth has nothing to compare. */
  betterAuth?: (port: number) => PlannedRequest[]
  betterAuthName?: string
  limit: (durationMilliseconds: number) => Promise<Limit>
  limitName: string
  bareServer: BareServer
  /** The required share of the limit. */
  bar: number
}

type Name = 'ours' | 'limit' | 'bare' | 'betterAuth'
type CpuMicroseconds = Record<Name, number[]>

/** Compares the rate of an endpoint with the limit of the machine and with Better Auth. */
export async function measureAgainstLimit(bench: Bench, endpoint: BoundedEndpoint): Promise<Finding[]> {
  const { what, engine, connections, ours, betterAuth, limit, limitName, bareServer } = endpoint
  const { workplace } = bench
  const accounts = await startAccounts(workplace, (await bench.accountsDatabase(engine)).url)
  const other = betterAuth && (await startBetterAuth(workplace, (await bench.betterAuthDatabase(engine)).url))
  const databaseUrl = bareServer.needsDatabase ? await bench.createDatabase(engine) : ''
  const bare = await startBareServer(workplace, bareServer, databaseUrl)
  const cpu: CpuMicroseconds = { ours: [], limit: [], bare: [], betterAuth: [] }
  const rate = async (name: Name, server: typeof accounts, requests: PlannedRequest[]) => {
    const run = closedLoads(bench, `${what}, ${server.name}`, server, requests, connections)
    await warmUp(bench, run)
    return async () => {
      const result = await run()
      cpu[name].push(result.serverCpuMicrosecondsPerAnswer)
      return result.answersPerSecond
    }
  }
  const contestants: Partial<Contestants<Name>> = {
    ours: await rate('ours', accounts, ours(accounts.port)),
    async limit() {
      const { perSecond, cpuMicroseconds } = await limit(bench.pace.durationMilliseconds)
      const figures = `${formatNumber(perSecond)}/s, ${formatNumber(cpuMicroseconds)} µs of CPU each`
      bench.progress(`${what}, ${limitName}: ${figures}`)
      cpu.limit.push(cpuMicroseconds)
      return perSecond
    },
    bare: await rate('bare', bare, toBareRequests(ours(bare.port), bareServer)),
    ...(other && { betterAuth: await rate('betterAuth', other, betterAuth(other.port)) }),
  }
  const rounds = await measureInRounds<Name>(bench, contestants as Contestants<Name>)
  await Promise.all([accounts, bare, other].map((server) => server?.stop()))
  return findings(endpoint, rounds, cpu)
}

async function warmUp({ pace }: Bench, run: () => Promise<LoadResult>): Promise<void> {
  for (let answers = 0; answers < pace.warmUpAnswers; ) answers += (await run()).answers
}

function findings(endpoint: BoundedEndpoint, rounds: Rounds<Name>, cpu: CpuMicroseconds): Finding[] {
  const { what, limitName, bareServer, betterAuthName, bar } = endpoint
  const rate = (name: Name) => `${formatNumber(medianOf(rounds, name))}/s`
  const cpuTime = (name: Name) => `${formatNumber(median(cpu[name]))} µs`
  const toLimit = ratioOf(rounds, 'ours', 'limit')
  const ours = rate('ours')
  const bareShare = `${formatNumber(ratioOf(rounds, 'bare', 'limit'))} × of the limit`
  const cpuTimes = [`${limitName}: ${cpuTime('limit')}`, `${bareServer.name}: ${cpuTime('bare')}`]
  if (betterAuthName !== undefined) cpuTimes.push(`${betterAuthName}: ${cpuTime('betterAuth')}`)
  const toBetterAuth =
    betterAuthName === undefined
      ? []
      : [
          {
            what,
            ours,
            against: `${betterAuthName}: ${rate('betterAuth')}`,
            value: ratioOf(rounds, 'ours', 'betterAuth'),
            unit: '×' as const,
          },
        ]
  return [
    { what, ours, against: `${limitName}: ${rate('limit')}`, value: toLimit, unit: '×', bar: { atLeast: bar } },
    {
      what,
      ours,
      against: `${bareServer.name}: ${rate('bare')}, ${bareShare}`,
      value: ratioOf(rounds, 'ours', 'bare'),
      unit: '×',
    },
    ...toBetterAuth,
    {
      what: `CPU time per ${what}`,
      ours: cpuTime('ours'),
      against: cpuTimes.join('; '),
      value: median(cpu.ours) / median(cpu.limit),
      unit: '×',
    },
  ]
}
