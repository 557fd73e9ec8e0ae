import type { Context } from '../../../core/context.ts'
import { findOAuthClient } from '../../../core/oauth-clients/store.ts'
import { type Backoff, createBackoff } from '../../../platform/background/backoff.ts'
import { type PeriodicWork, runPeriodically } from '../../../platform/background/run-periodically.ts'
import { attemptLogOut, type LogOutSender } from './attempt-log-out.ts'
import { dropLogOuts } from './drop-log-outs.ts'
import { type ClientWithLogOuts, type LeasedLogOut, leaseLogOut, listClientsWithDueLogOuts } from './store.ts'
import { storeLogOutOutcome } from './store-log-out-outcome.ts'

const POLL_MILLISECONDS = 1_000
/** The maximum of concurrent requests to one client. */
const REQUESTS_OF_CLIENT = 3
const LANES_MAXIMUM = 60

export interface LogOutDelivery extends PeriodicWork {
  /** Resolves when no log-out that was due at the call is left, apart from those of clients that do not respond. */
  deliverDue(): Promise<void>
}

type Turn = Pick<ClientWithLogOuts, 'owner' | 'clientId'>
type OwnedLogOut = LeasedLogOut & Turn

/**
 * Sends the log-outs that the triggers of migration 0019 enqueue, concurrently in several processes. A lane sends one
 * log-out after the other. It chooses the owner with the fewest requests in flight, and then the client of this owner
 * with the fewest. So slow clients, of which one organization can have many, do not occupy all lanes.
 */
export function createLogOutDelivery(context: Context, sender: LogOutSender): LogOutDelivery {
  const lanes = new Set<Promise<void>>()
  const backoffs = new Map<string, Backoff>()
  /** Client id, or owner → the number of its requests in flight. */
  const requestsInFlight = new Map<string, number>()
  /** Owner → its clients with due log-outs. Both are in the order of their turns. */
  let turns = new Map<string, Set<string>>()
  let dropping: Promise<void> | undefined
  const stopping = new AbortController()

  /** Does not wait for the lanes, so that a hanging lane does not delay new log-outs. */
  async function startWork(): Promise<void> {
    const clients = await listClientsWithDueLogOuts(context.database, context.now())
    const isWanted = ({ backchannelLogoutUri }: ClientWithLogOuts) => backchannelLogoutUri !== null
    startDropping(idsOf(clients.filter((client) => !isWanted(client))))
    await startLanes(Map.groupBy(clients.filter(isWanted), ({ owner }) => owner))
  }

  function startDropping(clientIds: string[]): void {
    for (const clientId of clientIds) backoffs.delete(clientId)
    dropping ??= dropLogOuts(context, clientIds, stopping.signal)
      .catch((error) => context.log.error({ err: error }, 'log-outs could not be dropped'))
      .finally(() => {
        dropping = undefined
      })
  }

  async function startLanes(due: Map<string, ClientWithLogOuts[]>): Promise<void> {
    const owners = mergeTurns(turns.keys(), due.keys())
    turns = new Map(
      Array.from(owners, (owner) => [owner, mergeTurns(turns.get(owner) ?? [], idsOf(due.get(owner) ?? []))]),
    )
    while (lanes.size < LANES_MAXIMUM) {
      const logOut = await leaseNext()
      if (!logOut) break
      startLane(logOut)
    }
  }

  function startLane(first: OwnedLogOut): void {
    const lane: Promise<void> = runLane(first)
      .catch((error) => context.log.error({ err: error }, 'log-outs could not be delivered'))
      .then(() => void lanes.delete(lane))
    lanes.add(lane)
  }

  async function runLane(first: OwnedLogOut): Promise<void> {
    let logOut: OwnedLogOut | undefined = first
    while (logOut) {
      const turn: Turn = logOut
      await deliver(logOut).finally(() => countRequest(turn, -1))
      logOut = await leaseNext()
    }
  }

  async function leaseNext(): Promise<OwnedLogOut | undefined> {
    for (let turn = takeTurn(); turn !== undefined; turn = takeTurn()) {
      let logOut: LeasedLogOut | undefined
      try {
        logOut = await leaseLogOut(context.database, turn.clientId, context.now())
        if (logOut) return { ...logOut, owner: turn.owner }
        endTurns(turn)
      } finally {
        if (!logOut) countRequest(turn, -1)
      }
    }
    return undefined
  }

  /** Counts the request before the lease, during which other lanes could exceed the maximum. */
  function takeTurn(): Turn | undefined {
    if (stopping.signal.aborted) return undefined
    const waiting = new Map([...turns].map(([owner, clientIds]) => [owner, [...clientIds].filter(hasRoom)]))
    const owner = withFewestRequests([...waiting.keys()].filter((one) => waiting.get(one)?.length))
    if (owner === undefined) return undefined
    const clientId = withFewestRequests(waiting.get(owner) ?? []) ?? ''
    // The owner and the client move to the end of their turns.
    const clientIds = turns.get(owner) ?? new Set()
    clientIds.delete(clientId)
    turns.delete(owner)
    turns.set(owner, clientIds.add(clientId))
    countRequest({ owner, clientId }, 1)
    return { owner, clientId }
  }

  function endTurns({ owner, clientId }: Turn): void {
    turns.get(owner)?.delete(clientId)
  }

  /** Returns the first of the keys with equal numbers. */
  function withFewestRequests(keys: string[]): string | undefined {
    return keys.toSorted((one, other) => requestsOf(one) - requestsOf(other))[0]
  }

  function hasRoom(clientId: string): boolean {
    const backoff = backoffs.get(clientId)
    return !backoff?.isPaused() && requestsOf(clientId) < (backoff?.isOnProbation() ? 1 : REQUESTS_OF_CLIENT)
  }

  function requestsOf(key: string): number {
    return requestsInFlight.get(key) ?? 0
  }

  function countRequest({ owner, clientId }: Turn, change: 1 | -1): void {
    for (const key of [owner, clientId]) {
      const count = requestsOf(key) + change
      if (count === 0) requestsInFlight.delete(key)
      else requestsInFlight.set(key, count)
    }
  }

  async function deliver(logOut: OwnedLogOut): Promise<void> {
    const { id, clientId, attempts } = logOut
    const client = await findOAuthClient(context.database, clientId)
    const outcome = await attemptLogOut(context, sender, client, logOut)
    const { verdict, reason } = outcome
    if (verdict !== 'delivered')
      context.log.warn({ logOutId: id, clientId, attempts, verdict, reason }, 'a log-out was not delivered')
    if (verdict === 'unavailable' || verdict === 'postponed') pause(clientId)
    else backoffs.delete(clientId)
    // The next poll drops the other log-outs of the client.
    if (verdict === 'dropped') endTurns(logOut)
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

function idsOf(clients: ClientWithLogOuts[]): string[] {
  return clients.map(({ clientId }) => clientId)
}

/** Due keys stay in the order of the former turns. New keys follow. */
function mergeTurns(former: Iterable<string>, due: Iterable<string>): Set<string> {
  const isDue = new Set(due)
  return new Set([...former, ...isDue].filter((key) => isDue.has(key)))
}
