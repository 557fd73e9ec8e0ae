import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { getFreePort } from '../../test/support/free-port.ts'
import type { PlannedRequest } from '../load/plan.ts'
import { type RunningServer, startServer } from '../server-process.ts'
import type { Workplace } from '../workplace.ts'

/** A `node:http` server with the least that an endpoint needs, the upper limit for a service in Node. */
export interface BareServer {
  name: string
  file: URL
  /** A text of each answer. */
  answerText: string
  environment: Record<string, string>
  needsDatabase: boolean
}

export const SIGNS_RS256: BareServer = {
  name: 'node:http that only signs',
  file: new URL('./rs256-server.ts', import.meta.url),
  answerText: '{"token":"ey',
  environment: {},
  needsDatabase: false,
}
export const LOOKS_UP_AND_SIGNS: BareServer = {
  name: 'node:http with a look-up for each turn, and RS256',
  file: new URL('./token-server.ts', import.meta.url),
  answerText: '{"token":"ey',
  environment: {},
  needsDatabase: true,
}
export const SIGNS_IN: BareServer = {
  name: 'node:http with a look-up, a hash and a commit',
  file: new URL('./sign-in-server.ts', import.meta.url),
  answerText: '{"success":true}',
  // A thread on each core, as the service has.
  environment: { UV_THREADPOOL_SIZE: String(availableParallelism()) },
  needsDatabase: true,
}
/** Its password threads, queue and delayed refusals are those of the service. */
export const HASHES_PASSWORDS: BareServer = {
  name: 'node:http that only hashes',
  file: new URL('./flood-server.ts', import.meta.url),
  answerText: '{"',
  environment: {},
  needsDatabase: false,
}

/** @param databaseUrl of an empty database, for a server that needs one */
export async function startBareServer(
  workplace: Workplace,
  { name, file, environment }: BareServer,
  databaseUrl = '',
): Promise<RunningServer> {
  const port = await getFreePort()
  return startServer(workplace, {
    name,
    script: fileURLToPath(file),
    args: [String(port), databaseUrl],
    environment,
    port,
    readyPath: '/',
  })
}

/** The same bytes as for the service. */
export function toBareRequests(requests: PlannedRequest[], { answerText }: BareServer): PlannedRequest[] {
  return requests.map((request) => ({ ...request, expectedText: answerText }))
}
