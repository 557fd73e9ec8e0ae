import { type Bench, formatNumber } from './bench.ts'
import { startBetterAuth } from './better-auth/start.ts'
import type { Finding } from './finding.ts'
import { argon2Limit } from './limits/argon2.ts'
import { closedLoad } from './load/closed-load.ts'
import { signInRequests } from './load/requests.ts'
import { startAccounts } from './ours/start.ts'
import { type Holder, sample } from './population.ts'
import { measureInRounds, medianOf, ratioOf } from './rounds.ts'
import type { RunningServer } from './server-process.ts'

/** More than are signed in during one round, so that nobody comes twice. */
const PEOPLE = 5_000

/** Signing in with the right password, against what the machine's cores can hash at all. */
export async function measureSignIn(bench: Bench): Promise<Finding[]> {
  const ours = await bench.accountsHolders()
  const theirs = await bench.betterAuthHolders()
  const accounts = await startAccounts(bench.workplace)
  const betterAuth = await startBetterAuth(bench.workplace)
  const rate = (server: RunningServer, holders: Holder[]) => async () => {
    const requests = signInRequests(server.port, sample(holders, PEOPLE))
    return (await closedLoad(bench, `sign-in, ${server.name}`, server, requests)).answersPerSecond
  }
  const rounds = await measureInRounds(bench, {
    ours: rate(accounts, ours),
    async limit() {
      const perSecond = await argon2Limit(bench.pace.durationMilliseconds)
      bench.progress(`sign-in, argon2id alone on all cores: ${formatNumber(perSecond)}/s`)
      return perSecond
    },
    betterAuth: rate(betterAuth, theirs),
  })
  await Promise.all([accounts.stop(), betterAuth.stop()])

  const figure = (name: keyof (typeof rounds)[number]) => `${formatNumber(medianOf(rounds, name))}/s`
  return [
    {
      what: 'sign-in',
      ours: figure('ours'),
      against: `argon2id alone on all cores: ${figure('limit')}`,
      value: ratioOf(rounds, 'ours', 'limit'),
      unit: '×',
      bar: { atLeast: 0.9 },
    },
    {
      what: 'sign-in',
      ours: figure('ours'),
      against: `Better Auth with its scrypt: ${figure('betterAuth')}`,
      value: ratioOf(rounds, 'ours', 'betterAuth'),
      unit: '×',
    },
  ]
}
