import { type Kysely, sql, type TransactionBuilder } from 'kysely'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { createUnit } from '../../server/core/in-transaction.ts'
import { lockOrganizationForUpdate } from '../../server/core/memberships/lock-membership.ts'
import { lockSessionsOfOrganization } from '../../server/core/sessions/lock-sessions.ts'
import { lockUserForDeletion } from '../../server/core/users/lock-managed-user.ts'
import { deleteUser, prepareUserDeletedEmail } from '../../server/features/account/profile/delete-user.ts'
import { lockOrganizationsOf } from '../../server/features/account/profile/store.ts'
import type { Tables, UserRow } from '../../server/platform/database/tables.ts'
import type { Service } from './service.ts'

type Step = (transaction: Kysely<Tables>) => Promise<unknown>

export interface ConcurrentStep {
  /** What is locked, or done, before the request comes upon it. */
  begin: Step
  /** The rest, which needs what the request may hold by then. */
  finish?: Step
}

/**
 * Has something done at the worst moment of a request: when all that it checks beforehand was checked, and its transaction
 * begins. On PostgreSQL the deed goes on when the transaction has come upon what it locked, and commits.
 */
export async function concurrently<T>(
  { context: { database }, engine }: Service,
  { begin, finish }: ConcurrentStep,
  request: () => Promise<T>,
): Promise<T> {
  let isDone = false
  const transaction = () => Object.getPrototypeOf(database).transaction.call(database) as TransactionBuilder<Tables>

  async function execute<R>(callback: (transaction: never) => Promise<R>): Promise<R> {
    delete (database as Partial<Kysely<Tables>>).transaction
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const deed = transaction().execute(async (own) => {
      await begin(own)
      begun.resolve()
      await goOn.promise
      await finish?.(own)
    })
    await Promise.race([begun.promise, deed])
    const result = transaction().execute(callback as never) as Promise<R>
    const ended = result.then(
      () => true,
      () => true,
    )
    // SQLite's transactions queue up as they begin.
    if (engine === 'postgres') while (!(await Promise.race([ended, someoneWaits(database)])));
    goOn.resolve()
    await deed
    isDone = true
    return result
  }

  database.transaction = () => ({ execute }) as unknown as TransactionBuilder<Tables>
  const answer = await request()
  if (!isDone) throw new Error(`It came to no transaction: ${JSON.stringify(answer)}`)
  return answer
}

async function someoneWaits(database: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(database)
  return rows.length > 0
}

/** Somebody's account is deleted. */
export function removing({ context }: Service, userId: string): ConcurrentStep {
  let user: UserRow | undefined
  return {
    async begin(transaction) {
      user = await lockUserForDeletion(transaction, context, userId)
      await lockOrganizationsOf(transaction, userId)
    },
    async finish(transaction) {
      const email = prepareUserDeletedEmail(context, OPERATOR)
      if (user) await deleteUser(createUnit(transaction, context, OPERATOR), user, email)
    },
  }
}

/** An organization is deleted. */
export function deleting(organizationId: string): ConcurrentStep {
  return {
    begin: (transaction) => lockOrganizationForUpdate(transaction, organizationId),
    async finish(transaction) {
      await lockSessionsOfOrganization(transaction, organizationId)
      await transaction.deleteFrom('organizations').where('id', '=', organizationId).execute()
    },
  }
}
