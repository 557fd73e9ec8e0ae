import { measureAgainstLimit } from './against-limit.ts'
import type { Bench } from './bench.ts'
import type { Finding } from './finding.ts'
import { SIGNS_RS256 } from './limits/bare-server.ts'
import { rs256Limit } from './limits/rs256.ts'
import { machineTokenRequests } from './load/requests.ts'
import { TOKEN_CONNECTIONS } from './token.ts'

/** Compares the token endpoint of OpenID Connect with the rate at which the machine can sign. */
export async function measureOpenIdToken(bench: Bench): Promise<Finding[]> {
  return measureAgainstLimit(bench, {
    what: 'OpenID Connect token',
    engine: 'SQLite',
    connections: TOKEN_CONNECTIONS,
    ours: machineTokenRequests,
    limit: rs256Limit,
    limitName: 'RS256 alone on the thread pool',
    bareServer: SIGNS_RS256,
    bar: 0.5,
  })
}
