import { type Kysely, sql } from 'kysely'
import type { Context } from '../../../core/context.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { conditionSql, type Engine } from '../../../platform/filter/condition-sql.ts'
import type { Page } from '../../../platform/http/paging.ts'
import { addTimelines, type InvitationRowWithTimeline } from '../../organizations/invitations/list-invitations.ts'

export const STATUSES = ['pending', 'accepted', 'rejected', 'canceled', 'expired'] as const

interface InvitationFilter {
  /** A part of the email address. */
  email?: string
  organizationId?: string
  status?: (typeof STATUSES)[number]
}

export interface NamedInvitation extends InvitationRowWithTimeline {
  organizationName: string
  organizationSlug: string
  inviterName: string | null
  inviterEmail: string | null
}

/** One page of the invitations of all organizations, newest first, read off the main thread. */
export async function listInvitations(
  { slowReads, config, now }: Context,
  filter: InvitationFilter,
  { limit, offset }: Page,
): Promise<{ invitations: NamedInvitation[]; total: number }> {
  const matching = selectMatching(slowReads, config.database.engine, filter, now())
  const rows = await matching
    .innerJoin('organizations', 'organizations.id', 'invitations.organizationId')
    .leftJoin('users', 'users.id', 'invitations.inviterId')
    .selectAll('invitations')
    .select([
      'organizations.name as organizationName',
      'organizations.slug as organizationSlug',
      'users.name as inviterName',
      'users.email as inviterEmail',
    ])
    .orderBy('invitations.createdAt', 'desc')
    .orderBy('invitations.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { invitations: await addTimelines(slowReads, now(), rows), total }
}

function selectMatching(
  database: Kysely<Tables>,
  engine: Engine,
  { email, organizationId, status }: InvitationFilter,
  now: number,
) {
  let query = database.selectFrom('invitations')
  if (organizationId !== undefined) query = query.where('invitations.organizationId', '=', organizationId)
  if (email !== undefined) {
    const column = { reference: sql.ref('invitations.email'), type: 'text', isLowerCase: true } as const
    query = query.where(conditionSql(engine, column, { operator: 'contains', values: [email.trim()] }))
  }
  if (status === undefined) return query
  if (status === 'expired')
    return query.where('invitations.status', '=', 'pending').where('invitations.expiresAt', '<=', now)
  const ofStatus = query.where('invitations.status', '=', status)
  return status === 'pending' ? ofStatus.where('invitations.expiresAt', '>', now) : ofStatus
}
