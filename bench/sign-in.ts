import { measureAgainstLimit } from './against-limit.ts'
import type { Bench } from './bench.ts'
import type { Finding } from './finding.ts'
import { argon2Limit } from './limits/argon2.ts'
import { signInRequests } from './load/requests.ts'
import { sample } from './population.ts'

/** More than are signed in during one round, so that nobody comes twice. */
const PEOPLE = 5_000

/** Signing in with the right password, against what the machine's cores can hash at all. */
export async function measureSignIn(bench: Bench): Promise<Finding[]> {
  const ours = sample(await bench.accountsHolders(), PEOPLE)
  const theirs = sample(await bench.betterAuthHolders(), PEOPLE)
  return measureAgainstLimit(bench, {
    what: 'sign-in',
    ours: (port) => signInRequests(port, ours),
    betterAuth: (port) => signInRequests(port, theirs),
    betterAuthName: 'Better Auth with its scrypt',
    limit: argon2Limit,
    limitName: 'argon2id alone on all cores',
    bar: 0.9,
  })
}
