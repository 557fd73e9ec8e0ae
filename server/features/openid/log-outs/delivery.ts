import type { Context } from '../../../core/context.ts'
import { findOAuthClient } from '../../../core/oauth-clients/store.ts'
import { type Backoff, createBackoff } from '../../../platform/background/backoff.ts'
import { type PeriodicWork, runPeriodically } from '../../../platform/background/run-periodically.ts'
import { attemptLogOut, type Sender } from './attempt-log-out.ts'
import { type LeasedLogOut, leaseLogOut, listClientsWithDueLogOuts } from './store.ts'
import { storeOutcome } from './store-outcome.ts'

const POLL_MILLISECONDS = 1_000
/** Of one client, so that one that does not respond delays no other. */
const LANES_OF_CLIENT = 3
const LANES_MAXIMUM = 60

export interface LogOutDelivery extends PeriodicWork {
  /** Resolves when no log-out is due, or the clients of the others do not respond. */
  deliverDue(): Promise<void>
}

/**
 * Sends the log-outs that the triggers of migration 0019 enqueue. Several processes may do so concurrently. A lane sends
 * the log-outs of one client, one after the other.
 */
export function createLogOutDelivery(context: Context, sender: Sender): LogOutDelivery {
  const lanes = new Map<Promise<void>, string>()
  const backoffs = new Map<string, Backoff>()
  let isStopped = false

  /** Does not wait for the lanes, so that one that hangs does not delay new log-outs. */
  async function startLanes(): Promise<void> {
    for (const clientId of await listClientsWithDueLogOuts(context.database, context.now())) {
      while (hasRoom(clientId)) {
        const logOut = await leaseNext(clientId)
        if (!logOut) break
        startLane(logOut)
      }
    }
  }

  function hasRoom(clientId: string): boolean {
    const count = [...lanes.values()].filter((id) => id === clientId).length
    return lanes.size < LANES_MAXIMUM && count < (backoffs.get(clientId)?.isOnProbation() ? 1 : LANES_OF_CLIENT)
  }

  async function leaseNext(clientId: string): Promise<LeasedLogOut | undefined> {
    if (isStopped || backoffs.get(clientId)?.isPaused()) return undefined
    return leaseLogOut(context.database, clientId, context.now())
  }

  function startLane(first: LeasedLogOut): void {
    const lane: Promise<void> = runLane(first)
      .catch((error) => context.log.error({ err: error }, 'log-outs could not be delivered'))
      .then(() => void lanes.delete(lane))
    lanes.set(lane, first.clientId)
  }

  async function runLane(first: LeasedLogOut): Promise<void> {
    let logOut: LeasedLogOut | undefined = first
    while (logOut) {
      await deliver(logOut)
      logOut = await leaseNext(first.clientId)
    }
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
    context.totals.increment('accounts_logout_attempts_total', await storeOutcome(context, logOut, client, outcome))
  }

  function pause(clientId: string): void {
    const backoff = backoffs.get(clientId) ?? createBackoff(context)
    backoffs.set(clientId, backoff)
    backoff.recordFailure()
  }

  const polling = runPeriodically(context, POLL_MILLISECONDS, 'log-outs could not be delivered', startLanes)
  return {
    start: polling.start,
    async deliverDue() {
      await startLanes()
      await Promise.all(lanes.keys())
    },
    /** Waits for the requests in flight, which end after 5 seconds. */
    async stop() {
      isStopped = true
      await polling.stop()
      await Promise.all(lanes.keys())
    },
  }
}
