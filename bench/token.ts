import { type Bench, formatNumber } from './bench.ts'
import { startBetterAuth } from './better-auth/start.ts'
import type { Finding } from './finding.ts'
import { rs256Limit } from './limits/rs256.ts'
import { closedLoad } from './load/closed-load.ts'
import { tokenRequests } from './load/requests.ts'
import { startAccounts } from './ours/start.ts'
import { type Holder, sample } from './population.ts'
import { measureInRounds, medianOf, ratioOf } from './rounds.ts'
import type { RunningServer } from './server-process.ts'

const ACTIVE_HOLDERS = 1_000

/** A signed token for the caller, against what the machine can sign at all. */
export async function measureToken(bench: Bench): Promise<Finding[]> {
  const ours = sample(await bench.accountsHolders(), ACTIVE_HOLDERS)
  const theirs = sample(await bench.betterAuthHolders(), ACTIVE_HOLDERS)
  const accounts = await startAccounts(bench.workplace)
  const betterAuth = await startBetterAuth(bench.workplace)
  const rate = (server: RunningServer, holders: Holder[], path: (holder: Holder) => string) => async () => {
    const requests = tokenRequests(server.port, holders, path)
    return (await closedLoad(bench, `token, ${server.name}`, server, requests)).answersPerSecond
  }
  const rounds = await measureInRounds(bench, {
    ours: rate(accounts, ours, ({ organizationSlug }) => `/api/token?org=${organizationSlug}`),
    async limit() {
      const perSecond = await rs256Limit(bench.pace.durationMilliseconds)
      bench.progress(`token, RS256 alone on the thread pool: ${formatNumber(perSecond)}/s`)
      return perSecond
    },
    betterAuth: rate(betterAuth, theirs, () => '/api/auth/token'),
  })
  await Promise.all([accounts.stop(), betterAuth.stop()])

  const figure = (name: keyof (typeof rounds)[number]) => `${formatNumber(medianOf(rounds, name))}/s`
  return [
    {
      what: 'token',
      ours: figure('ours'),
      against: `RS256 alone on the thread pool: ${figure('limit')}`,
      value: ratioOf(rounds, 'ours', 'limit'),
      unit: '×',
      bar: { atLeast: 0.8 },
    },
    {
      what: 'token',
      ours: figure('ours'),
      against: `Better Auth: ${figure('betterAuth')}`,
      value: ratioOf(rounds, 'ours', 'betterAuth'),
      unit: '×',
    },
  ]
}
