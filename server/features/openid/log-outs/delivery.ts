import type { Context } from '../../../core/context.ts'
import { findOAuthClient } from '../../../core/oauth-clients/store.ts'
import { type Backoff, createBackoff } from '../../../platform/background/backoff.ts'
import { type PeriodicWork, runPeriodically } from '../../../platform/background/run-periodically.ts'
import { attemptLogOut, type LogOutSender } from './attempt-log-out.ts'
import { dropLogOuts } from './drop-log-outs.ts'
import { type LeasedLogOut, leaseLogOut, listClientsWithDueLogOuts } from './store.ts'
import { storeLogOutOutcome } from './store-log-out-outcome.ts'

const POLL_MILLISECONDS = 1_000
/** The maximum of concurrent requests to one client. */
const REQUESTS_OF_CLIENT = 3
const LANES_MAXIMUM = 60

export interface LogOutDelivery extends PeriodicWork {
  /** Resolves when no log-out that was due at the call is left, apart from those of clients that do not respond. */
  deliverDue(): Promise<void>
}

/**
 * Sends the log-outs that the triggers of migration 0019 enqueue. Several processes may do so concurrently. A lane
 * sends one log-out after the other. It always chooses the client with the fewest requests in flight, so that slow
 * clients do not occupy all lanes.
 */
export function createLogOutDelivery(context: Context, sender: LogOutSender): LogOutDelivery {
  const lanes = new Set<Promise<void>>()
  const backoffs = new Map<string, Backoff>()
  /** Client id → the number of its requests in flight. */
  const requestsInFlight = new Map<string, number>()
  /** The clients with due log-outs, in the order of their turns. */
  let turns = new Set<string>()
  let dropping: Promise<void> | undefined
  const stopping = new AbortController()

  /** Does not wait for the lanes, so that a hanging lane does not delay new log-outs. */
  async function startWork(): Promise<void> {
    const clients = await listClientsWithDueLogOuts(context.database, context.now())
    const idsOf = (areWanted: boolean) =>
      clients
        .filter(({ backchannelLogoutUri }) => (backchannelLogoutUri !== null) === areWanted)
        .map(({ clientId }) => clientId)
    startDropping(idsOf(false))
    await startLanes(new Set(idsOf(true)))
  }

  function startDropping(clientIds: string[]): void {
    for (const clientId of clientIds) backoffs.delete(clientId)
    dropping ??= dropLogOuts(context, clientIds, stopping.signal)
      .catch((error) => context.log.error({ err: error }, 'log-outs could not be dropped'))
      .finally(() => {
        dropping = undefined
      })
  }

  async function startLanes(due: Set<string>): Promise<void> {
    turns = new Set([...turns, ...due].filter((clientId) => due.has(clientId)))
    while (lanes.size < LANES_MAXIMUM) {
      const logOut = await leaseNext()
      if (!logOut) break
      startLane(logOut)
    }
  }

  function startLane(first: LeasedLogOut): void {
    const lane: Promise<void> = runLane(first)
      .catch((error) => context.log.error({ err: error }, 'log-outs could not be delivered'))
      .then(() => void lanes.delete(lane))
    lanes.add(lane)
  }

  async function runLane(first: LeasedLogOut): Promise<void> {
    let logOut: LeasedLogOut | undefined = first
    while (logOut) {
      const { clientId } = logOut
      await deliver(logOut).finally(() => countRequest(clientId, -1))
      logOut = await leaseNext()
    }
  }

  async function leaseNext(): Promise<LeasedLogOut | undefined> {
    for (let clientId = takeTurn(); clientId !== undefined; clientId = takeTurn()) {
      let logOut: LeasedLogOut | undefined
      try {
        logOut = await leaseLogOut(context.database, clientId, context.now())
        if (logOut) return logOut
        turns.delete(clientId)
      } finally {
        if (!logOut) countRequest(clientId, -1)
      }
    }
    return undefined
  }

  /**
   * Counts the request before the log-out is leased. Otherwise other lanes could exceed the maximum during the lease.
   */
  function takeTurn(): string | undefined {
    if (stopping.signal.aborted) return undefined
    const waiting = [...turns].filter(hasRoom)
    const [clientId] = waiting.toSorted((one, other) => requestsOf(one) - requestsOf(other))
    if (clientId === undefined) return undefined
    turns.delete(clientId)
    turns.add(clientId)
    countRequest(clientId, 1)
    return clientId
  }

  function hasRoom(clientId: string): boolean {
    const backoff = backoffs.get(clientId)
    return !backoff?.isPaused() && requestsOf(clientId) < (backoff?.isOnProbation() ? 1 : REQUESTS_OF_CLIENT)
  }

  function requestsOf(clientId: string): number {
    return requestsInFlight.get(clientId) ?? 0
  }

  function countRequest(clientId: string, change: 1 | -1): void {
    const count = requestsOf(clientId) + change
    if (count === 0) requestsInFlight.delete(clientId)
    else requestsInFlight.set(clientId, count)
  }

  async function deliver(logOut: LeasedLogOut): Promise<void> {
    const { id, clientId, attempts } = logOut
    const client = await findOAuthClient(context.database, clientId)
    const outcome = await attemptLogOut(context, sender, client, logOut)
    const { verdict, reason } = outcome
    if (verdict !== 'delivered')
      context.log.warn({ logOutId: id, clientId, attempts, verdict, reason }, 'a log-out was not delivered')
    if (verdict === 'unavailable' || verdict === 'postponed') pause(clientId)
    else backoffs.delete(clientId)
    // The next poll drops the others.
    if (verdict === 'dropped') turns.delete(clientId)
    context.totals.increment(
      'accounts_logout_attempts_total',
      await storeLogOutOutcome(context, logOut, client, outcome),
    )
  }

  function pause(clientId: string): void {
    const backoff = backoffs.get(clientId) ?? createBackoff(context)
    backoffs.set(clientId, backoff)
    backoff.recordFailure()
  }

  const polling = runPeriodically(context, POLL_MILLISECONDS, 'log-outs could not be delivered', startWork)
  return {
    start: polling.start,
    async deliverDue() {
      // A running drop has the clients of an earlier poll.
      await dropping
      await startWork()
      await Promise.all([...lanes, dropping])
    },
    /** Waits for the requests in flight, which take 5 seconds at most. */
    async stop() {
      stopping.abort()
      await polling.stop()
      await Promise.all([...lanes, dropping])
    },
  }
}
