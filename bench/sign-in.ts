import { measureAgainstLimit } from './against-limit.ts'
import type { Bench, Engine } from './bench.ts'
import type { Finding } from './finding.ts'
import { argon2Limit } from './limits/argon2.ts'
import { signInRequests } from './load/requests.ts'
import { sample } from './population.ts'

/** More than the sign-ins of one round, so that no user signs in twice. */
const USERS = 5_000

/** Compares sign-ins with the rate at which the cores can hash passwords. */
export async function measureSignIn(bench: Bench, engine: Engine): Promise<Finding[]> {
  const ours = sample((await bench.accountsDatabase(engine)).sessions, USERS)
  const theirs = sample((await bench.betterAuthDatabase(engine)).sessions, USERS)
  return measureAgainstLimit(bench, {
    what: `sign-in on ${engine}`,
    engine,
    ours: (port) => signInRequests(port, ours),
    betterAuth: (port) => signInRequests(port, theirs),
    betterAuthName: 'Better Auth with its scrypt',
    limit: argon2Limit,
    limitName: 'argon2id alone on all cores',
    bar: 0.9,
  })
}
