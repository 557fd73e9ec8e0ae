import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Kysely, sql, type TransactionBuilder } from 'kysely'
import type { Caller } from '../../server/core/access/caller.ts'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { createUnit } from '../../server/core/in-transaction.ts'
import { lockOrganizationForUpdate } from '../../server/core/memberships/lock-membership.ts'
import { lockSessionsOfOrganizationsForUpdate } from '../../server/core/sessions/lock-sessions.ts'
import { lockUserForDeletion } from '../../server/core/users/lock-managed-user.ts'
import { deleteUser, prepareUserDeletedEmail } from '../../server/features/account/deletion/delete-user.ts'
import { lockOrganizationsOfUserForUpdate } from '../../server/features/account/deletion/store.ts'
import type { Tables, UserRow } from '../../server/platform/database/tables.ts'
import type { Service } from './service.ts'

type Step = (transaction: Kysely<Tables>) => Promise<unknown>

export interface ConcurrentStep {
  /** Locks or changes rows before the transaction of the request begins. */
  begin: Step
  /** Runs when the request waits for these locks, so it fails if the request holds a lock that it needs. */
  finish?: Step
}

interface RequestScope {
  /** Whether the request still waits for its answer. */
  isOpen: () => boolean
  /** Undefined for a request that is sent by `concurrently`, before it arrives. */
  request?: FastifyRequest
}

const requestScope = new AsyncLocalStorage<RequestScope>()

/**
 * Marks the code that runs for a request. Background work begins transactions, too, which must not count as those of
 * the request. A timer of background work may belong to an earlier request, which has been answered.
 */
export function markRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => requestScope.run({ isOpen: () => !reply.sent, request }, done))
}

/**
 * Runs a step at the worst moment of a request: after its checks and before its transaction begins. On PostgreSQL the
 * step finishes and commits when the transaction of the request waits for a lock of the step.
 */
export async function concurrently<T>(
  { context: { database }, engine }: Service,
  { begin, finish }: ConcurrentStep,
  request: () => Promise<T>,
): Promise<T> {
  let isDone = false
  const transaction = beginnerOf(database)

  async function execute<R>(callback: (transaction: never) => Promise<R>): Promise<R> {
    delete (database as Partial<Kysely<Tables>>).transaction
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const step = transaction().execute(async (own) => {
      await begin(own)
      begun.resolve()
      await goOn.promise
      await finish?.(own)
    })
    await Promise.race([begun.promise, step])
    const result = transaction().execute(callback as never) as Promise<R>
    const ended = result.then(
      () => true,
      () => true,
    )
    // SQLite queues whole transactions, so there is no wait for a row lock.
    if (engine === 'postgres') while (!(await Promise.race([ended, hasLockWait(database)])));
    goOn.resolve()
    await step
    isDone = true
    return result
  }

  database.transaction = () =>
    requestScope.getStore()?.isOpen() ? ({ execute } as unknown as TransactionBuilder<Tables>) : transaction()
  const answer = await requestScope.run({ isOpen: () => true }, request)
  if (!isDone) throw new Error(`The request began no transaction: ${JSON.stringify(answer)}`)
  return answer
}

/** Revokes the session of every request to a path, or replaces its token, as `beforeTransactions` does. */
export function endingSessions<T>(
  service: Service,
  { path, ending }: { path: string; ending: 'revoked' | 'token replaced' },
  work: () => Promise<T>,
): Promise<T> {
  const { database } = service.context
  const end = ({ session: { id } }: Caller) =>
    ending === 'revoked'
      ? database.deleteFrom('sessions').where('id', '=', id).execute()
      : database
          .updateTable('sessions')
          .set({ tokenHash: `replaced ${id}` })
          .where('id', '=', id)
          .execute()
  return beforeTransactions(service, path, end, work)
}

/** Runs a step for every request to a path, after its access was checked and before each transaction begins. */
export async function beforeTransactions<T>(
  { context: { database } }: Service,
  path: string,
  step: (caller: Caller) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const transaction = beginnerOf(database)
  database.transaction = () => {
    const { isOpen, request } = requestScope.getStore() ?? {}
    const isChecked = isOpen?.() && request?.routeOptions.url === path && request.body !== undefined
    if (!isChecked || !request.caller) return transaction()
    const { caller } = request
    const execute = async <R>(callback: (transaction: never) => Promise<R>): Promise<R> => {
      await step(caller)
      return transaction().execute(callback as never) as Promise<R>
    }
    return { execute } as unknown as TransactionBuilder<Tables>
  }
  try {
    return await work()
  } finally {
    delete (database as Partial<Kysely<Tables>>).transaction
  }
}

/** Runs a step after this number of transactions of a request, before its next one. */
export async function afterTransactions<T>(
  { context: { database } }: Service,
  count: number,
  step: () => Promise<unknown>,
  request: () => Promise<T>,
): Promise<T> {
  const transaction = beginnerOf(database)
  let begunCount = 0
  database.transaction = () => {
    if (!requestScope.getStore()?.isOpen()) return transaction()
    begunCount += 1
    if (begunCount <= count) return transaction()
    delete (database as Partial<Kysely<Tables>>).transaction
    const execute = async <R>(callback: (transaction: never) => Promise<R>): Promise<R> => {
      await step()
      return transaction().execute(callback as never) as Promise<R>
    }
    return { execute } as unknown as TransactionBuilder<Tables>
  }
  const answer = await request().finally(() => {
    delete (database as Partial<Kysely<Tables>>).transaction
  })
  if (begunCount <= count) throw new Error(`The request began ${begunCount} transactions: ${JSON.stringify(answer)}`)
  return answer
}

/** The method that begins transactions, on the class that all databases share. A step replaces it. */
function beginnerOf(database: Kysely<Tables>): () => TransactionBuilder<Tables> {
  return () => Object.getPrototypeOf(database).transaction.call(database) as TransactionBuilder<Tables>
}

async function hasLockWait(database: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(database)
  return rows.length > 0
}

/** Deletes a user. */
export function userDeletion({ context }: Service, userId: string): ConcurrentStep {
  let user: UserRow | undefined
  return {
    async begin(transaction) {
      user = await lockUserForDeletion(transaction, context, userId)
      await lockOrganizationsOfUserForUpdate(transaction, userId)
    },
    async finish(transaction) {
      const email = prepareUserDeletedEmail(context, OPERATOR)
      if (user) await deleteUser(createUnit(transaction, context, OPERATOR), user, email)
    },
  }
}

/** Deletes an organization. */
export function organizationDeletion(organizationId: string): ConcurrentStep {
  return {
    begin: (transaction) => lockOrganizationForUpdate(transaction, organizationId),
    async finish(transaction) {
      await lockSessionsOfOrganizationsForUpdate(transaction, [organizationId])
      await transaction.deleteFrom('organizations').where('id', '=', organizationId).execute()
    },
  }
}
