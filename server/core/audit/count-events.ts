import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { addCounts, type Count, hourOf, type StatisticName } from '../../platform/statistics/store.ts'
import type { AuditAction } from './actions.ts'
import type { StoredEvent } from './store.ts'

type Details = Record<string, unknown>
type Counted = [name: StatisticName, detail: string]
type Rule = (details: Details) => Counted | undefined

const SIGN_IN_ROUTE = '/api/auth/sign-in/email'

const RULES: Partial<Record<AuditAction, Rule>> = {
  'session.started': ({ method }) => (typeof method === 'string' ? ['sign-in', method] : undefined),
  'sign-in.failed': ({ reason, code }) => ['sign-in-failed', reasonOf(reason, code)],
  // A sign-in over a limit verifies no password, so it has no `sign-in.failed`.
  'limit.reached': ({ route }) => (route === SIGN_IN_ROUTE ? ['sign-in-failed', 'too many tries'] : undefined),
  'user.created': ({ origin }) => ['user-created', typeof origin === 'string' ? origin : ''],
  'invitation.created': () => ['invitation-created', ''],
  'invitation.accepted': () => ['invitation-accepted', ''],
  'user.banned': () => ['ban', ''],
  'user.unbanned': () => ['unban', ''],
}

function reasonOf(reason: unknown, code: unknown): string {
  if (typeof reason === 'string') return reason
  return code === 'BANNED_USER' ? 'banned' : 'passkey refused'
}

/** For the transaction that links the events: it counts each of them exactly once. */
export function countEvents(transaction: Kysely<Tables>, events: StoredEvent[]): Promise<void> {
  return addCounts(transaction, events.flatMap(countsOf))
}

function countsOf({ action, createdAt, details: text, openUntil }: StoredEvent): Count[] {
  const details = JSON.parse(text) as Details
  const counted = RULES[action as AuditAction]?.(details)
  if (!counted || createdAt === null) return []
  const [name, detail] = counted
  return [{ name, detail, hour: hourOf(createdAt), count: openUntil === null ? 1 : Number(details.count) }]
}
