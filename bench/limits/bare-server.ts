import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '../../test/support/free-port.ts'
import type { PlannedRequest } from '../load/plan.ts'
import { type RunningServer, startServer } from '../server-process.ts'
import type { Workplace } from '../workplace.ts'

/** A `node:http` server with nothing but the cryptography of an endpoint, the upper limit for a service in Node. */
export interface BareServer {
  name: string
  file: URL
  /** A text of each answer. */
  answerText: string
  environment: Record<string, string>
}

export const SIGNS_RS256: BareServer = {
  name: 'node:http that only signs',
  file: new URL('./rs256-server.ts', import.meta.url),
  answerText: '{"token":"ey',
  environment: {},
}
export const VERIFIES_ARGON2: BareServer = {
  name: 'node:http that only verifies',
  file: new URL('./argon2-server.ts', import.meta.url),
  answerText: '{"success":true}',
  // A thread on each core, as the service has.
  environment: { UV_THREADPOOL_SIZE: String(availableParallelism()) },
}
/** Its password threads, queue and delayed refusals are those of the service. */
export const HASHES_PASSWORDS: BareServer = {
  name: 'node:http that only hashes',
  file: new URL('./flood-server.ts', import.meta.url),
  answerText: '{"',
  environment: {},
}

export async function startBareServer(
  workplace: Workplace,
  { name, file, environment }: BareServer,
): Promise<RunningServer> {
  const port = await findFreePort()
  return startServer(workplace, {
    name,
    script: fileURLToPath(file),
    args: [String(port)],
    environment,
    port,
    readyPath: '/',
  })
}

/** The same bytes as for the service. */
export function toBareRequests(requests: PlannedRequest[], { answerText }: BareServer): PlannedRequest[] {
  return requests.map((request) => ({ ...request, expectedText: answerText }))
}
