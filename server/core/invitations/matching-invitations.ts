import { expressionBuilder, type Kysely, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { conditionSql, lowerAscii } from '../../platform/filter/condition-sql.ts'
import { NOT_SENT } from '../../platform/mail/discarded-emails.ts'
import { isOfKind } from '../../platform/mail/email-kind.ts'
import { isInviterAllowedRow } from './allowed-inviter.ts'
import { hasExpiredRow } from './expiry.ts'

/** `failed`: open, and its newest email was not delivered, or was discarded and the inviter may invite again. */
export const INVITATION_STATUSES = ['pending', 'failed', 'accepted', 'rejected', 'canceled', 'expired'] as const

export const INVITED_EMAIL_OPERATORS = ['contains', 'eq'] as const

export interface InvitationFilter {
  /** A part of the email address, or with `eq` the whole one, in any case. */
  email?: string
  emailOperator?: (typeof INVITED_EMAIL_OPERATORS)[number]
  organizationId?: string
  status?: (typeof INVITATION_STATUSES)[number]
}

export type MatchingInvitations = SelectQueryBuilder<Tables, 'invitations', object>

export function selectMatchingInvitations(
  database: Kysely<Tables>,
  { email, emailOperator, organizationId, status }: InvitationFilter,
  now: number,
): MatchingInvitations {
  let query = database.selectFrom('invitations')
  if (organizationId !== undefined) query = query.where('invitations.organizationId', '=', organizationId)
  if (email !== undefined && emailOperator === 'eq') {
    query = query.where('invitations.email', '=', lowerAscii(email.trim()))
  } else if (email !== undefined) {
    const column = { reference: sql.ref('invitations.email'), type: 'text', isLowerCase: true } as const
    query = query.where(conditionSql(database, column, { operator: 'contains', values: [email.trim()] }))
  }
  if (status === undefined) return query
  const matching = withStatus(query, status, now)
  // Without an organization, the failed emails are fewer than the open invitations.
  return status === 'failed' && organizationId === undefined ? matching.where(hasFailedEmail) : matching
}

function withStatus(
  query: MatchingInvitations,
  status: NonNullable<InvitationFilter['status']>,
  now: number,
): MatchingInvitations {
  const stored = status === 'failed' || status === 'expired' ? 'pending' : status
  // A literal, because SQLite uses no partial index for a parameter.
  const matching = query.where(sql<SqlBool>`invitations.status = ${sql.lit(stored)}`)
  if (stored !== 'pending') return matching
  if (status === 'expired') return matching.where(hasExpiredRow(now))
  // For a range of `expiresAt`, SQLite would use its index, and then sort all open invitations.
  const open = matching.where(sql<SqlBool>`not (${hasExpiredRow(now)})`)
  return status === 'failed' ? open.where(newestEmailFailed(now)) : open
}

/** Follows from `newestEmailFailed`. The database needs it to begin with the index of failed emails. */
const hasFailedEmail = sql<boolean>`invitations.id in (
  select "subjectId" from outbox where "failedAt" is not null and recipient <> '')`

function newestEmailFailed(now: number) {
  const isInviterAllowed = isInviterAllowedRow(now)(expressionBuilder<Tables, 'invitations'>())
  return sql<boolean>`exists (
    select 1 from outbox failed where failed."subjectId" = invitations.id and failed."failedAt" is not null
      and failed."sentAt" is null and ${isOfKind('invitation', 'failed')}
      and (failed."lastError" not like ${sql.lit(`${NOT_SENT}%`)} or ${isInviterAllowed}) and not exists (
        select 1 from outbox newer where newer."subjectId" = invitations.id and newer."createdAt" > failed."createdAt"
          and ${isOfKind('invitation', 'newer')}))`
}
