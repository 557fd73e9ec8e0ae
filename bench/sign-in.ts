import { measureAgainstLimit } from './against-limit.ts'
import type { Bench, Engine } from './bench.ts'
import type { Finding } from './finding.ts'
import { argon2Limit } from './limits/argon2.ts'
import { SIGNS_IN } from './limits/bare-server.ts'
import { signInRequests } from './load/requests.ts'
import { sample } from './population.ts'

/**
 * About as many as the sign-ins of a measurement on two cores, because the service sends a user at most five emails of a
 * kind an hour.
 */
const USERS = 5_000
/** Fewer than the queue of passwords has places, beyond which sign-ins are refused. */
const CONNECTIONS = 16

/** Compares sign-ins with the rate at which the cores can hash passwords. */
export async function measureSignIn(bench: Bench, engine: Engine): Promise<Finding[]> {
  const ours = sample((await bench.accountsDatabase(engine)).sessions, USERS)
  const theirs = sample((await bench.betterAuthDatabase(engine)).sessions, USERS)
  const limit = { limit: argon2Limit, limitName: 'argon2id alone on all cores', bareServer: SIGNS_IN }
  const inKnownBrowser = await measureAgainstLimit(bench, {
    what: `sign-in on ${engine}`,
    engine,
    connections: CONNECTIONS,
    ours: (port) => signInRequests(port, ours, 'known'),
    betterAuth: (port) => signInRequests(port, theirs, 'new'),
    betterAuthName: 'Better Auth with its scrypt',
    ...limit,
    bar: 0.9,
  })
  // The user gets an email, which Better Auth does not send.
  const inNewBrowser = await measureAgainstLimit(bench, {
    what: `sign-in in a new browser on ${engine}`,
    engine,
    connections: CONNECTIONS,
    ours: (port) => signInRequests(port, ours, 'new'),
    ...limit,
    bar: 0.9,
  })
  return [...inKnownBrowser, ...inNewBrowser]
}
