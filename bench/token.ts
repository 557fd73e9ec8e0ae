import { measureAgainstLimit } from './against-limit.ts'
import type { Bench, Engine } from './bench.ts'
import type { Finding } from './finding.ts'
import { LOOKS_UP_AND_SIGNS, SIGNS_RS256 } from './limits/bare-server.ts'
import { rs256Limit } from './limits/rs256.ts'
import { tokenRequests } from './load/requests.ts'
import { sample } from './population.ts'

const ACTIVE_SESSIONS = 1_000
/** The thread pool signs for many requests, so that it is not idle while the generator waits for a core. */
export const TOKEN_CONNECTIONS = 64

/** Compares signed tokens with the rate at which the machine can sign. */
export async function measureToken(bench: Bench, engine: Engine): Promise<Finding[]> {
  const ours = sample((await bench.accountsDatabase(engine)).sessions, ACTIVE_SESSIONS)
  const theirs = sample((await bench.betterAuthDatabase(engine)).sessions, ACTIVE_SESSIONS)
  return measureAgainstLimit(bench, {
    what: `token on ${engine}`,
    engine,
    connections: TOKEN_CONNECTIONS,
    ours: (port) => tokenRequests(port, ours, ({ organizationSlug }) => `/api/token?org=${organizationSlug}`),
    betterAuth: (port) => tokenRequests(port, theirs, () => '/api/auth/token'),
    betterAuthName: 'Better Auth with RS256',
    limit: rs256Limit,
    limitName: 'RS256 alone on the thread pool',
    bareServer: engine === 'PostgreSQL' ? LOOKS_UP_AND_SIGNS : SIGNS_RS256,
    bar: 0.8,
  })
}
