import type { Kysely } from 'kysely'
import type { AuditEventRow, Tables } from '../../server/platform/database/tables.ts'

/** The limit of an hour, in which the tests end. */
const NOTICES_MAXIMUM = 5

/** Lists changes without their audit event or email, and audit events and emails without their change. */
export async function listInconsistencies(database: Kysely<Tables>): Promise<string[]> {
  // All reads use one snapshot, because the running service links events and delivers emails.
  const all = await database.transaction().setIsolationLevel('repeatable read').execute(readAll)
  return [...ofUsers(all), ...ofOrganizations(all), ...ofInvitations(all), ...ofStatistics(all)]
}

type All = Awaited<ReturnType<typeof readAll>>

async function readAll(database: Kysely<Tables>) {
  const [users, accounts, sessions, organizations, members, invitations, outbox, events, statistics] =
    await Promise.all([
      database.selectFrom('users').select(['id', 'email']).execute(),
      database.selectFrom('accounts').select('userId').execute(),
      database.selectFrom('sessions').select(['id', 'userId']).execute(),
      database.selectFrom('organizations').select('id').execute(),
      database.selectFrom('members').select('organizationId').where('role', '=', 'owner').execute(),
      database.selectFrom('invitations').select('id').execute(),
      database.selectFrom('outbox').select(['kind', 'recipient', 'subjectId', 'sentAt']).execute(),
      database
        .selectFrom('auditEvents')
        .select(['action', 'subjectId', 'organizationId', 'details', 'sequence'])
        .execute(),
      database.selectFrom('statistics').select(['name', 'count']).execute(),
    ])
  return { users, accounts, sessions, organizations, members, invitations, outbox, events, statistics }
}

function ofUsers({ users, accounts, sessions, outbox, events }: All): string[] {
  const created = count(events, 'user.created', ({ subjectId }) => subjectId)
  const passwords = countById(accounts.map(({ userId }) => userId))
  const sessionCounts = countById(sessions.map(({ userId }) => userId))
  const started = count(events, 'session.started', ({ subjectId }) => subjectId)
  const ended = count(events, 'session.ended', ({ subjectId }) => subjectId, endedSessions)
  const changed = count(events, 'password.changed', ({ subjectId }) => subjectId)
  const notified = countById(outbox.filter(({ kind }) => kind === 'password changed').map(({ recipient }) => recipient))
  return [
    ...differences('users and events user.created', countById(users.map(({ id }) => id)), created),
    ...differences('users and passwords', countById(users.map(({ id }) => id)), passwords),
    ...users.flatMap(({ id, email }) => {
      const expected = (started.get(id) ?? 0) - (ended.get(id) ?? 0)
      const problems = []
      if ((sessionCounts.get(id) ?? 0) !== expected)
        problems.push(`${email} has ${sessionCounts.get(id)} sessions, and events for ${expected}`)
      if (Math.min(changed.get(id) ?? 0, NOTICES_MAXIMUM) !== (notified.get(email) ?? 0))
        problems.push(`${email} changed the password ${changed.get(id)} times, and has ${notified.get(email)} emails`)
      return problems
    }),
  ]
}

function ofOrganizations({ organizations, members, events }: All): string[] {
  const ids = countById(organizations.map(({ id }) => id))
  const created = count(events, 'organization.created', ({ organizationId }) => organizationId)
  return [
    ...differences('organizations and events organization.created', ids, created),
    ...differences('organizations and owners', ids, countById(members.map(({ organizationId }) => organizationId))),
  ]
}

function ofInvitations({ invitations, outbox, events }: All): string[] {
  const ids = countById(invitations.map(({ id }) => id))
  const created = count(events, 'invitation.created', ({ subjectId }) => subjectId)
  const sent = countById(outbox.filter(({ kind }) => kind === 'invitation').map(({ subjectId }) => subjectId))
  return [
    ...differences('invitations and events invitation.created', ids, created),
    ...differences('invitations and emails', ids, sent),
  ]
}

/** Each linked event is counted once. */
function ofStatistics({ events, outbox, statistics }: All): string[] {
  const linked = (action: string) => events.filter((event) => event.action === action && event.sequence !== null).length
  const expected = {
    'user-created': linked('user.created'),
    'invitation-created': linked('invitation.created'),
    'invitation-accepted': linked('invitation.accepted'),
    'email-sent': outbox.filter(({ sentAt }) => sentAt !== null).length,
  }
  return Object.entries(expected).flatMap(([name, number]) => {
    const counted = statistics.filter((row) => row.name === name).reduce((sum, row) => sum + row.count, 0)
    return counted === number ? [] : [`${name} is counted ${counted} times, and happened ${number} times`]
  })
}

type Event = Pick<AuditEventRow, 'action' | 'subjectId' | 'organizationId' | 'details'>

/** One event reports one session, or several with their count. */
function endedSessions({ details }: Event): number {
  return (JSON.parse(details) as { count?: number }).count ?? 1
}

function count(
  events: Event[],
  action: string,
  of: (event: Event) => string | null,
  weight: (event: Event) => number = () => 1,
): Map<string | null, number> {
  const totals = new Map<string | null, number>()
  for (const event of events)
    if (event.action === action) totals.set(of(event), (totals.get(of(event)) ?? 0) + weight(event))
  return totals
}

function countById(ids: (string | null)[]): Map<string | null, number> {
  const totals = new Map<string | null, number>()
  for (const id of ids) totals.set(id, (totals.get(id) ?? 0) + 1)
  return totals
}

function differences(what: string, one: Map<string | null, number>, other: Map<string | null, number>): string[] {
  const ids = [...new Set([...one.keys(), ...other.keys()])]
  return ids
    .filter((id) => one.get(id) !== other.get(id))
    .map((id) => `${what}: ${id} occurs ${one.get(id) ?? 0} and ${other.get(id) ?? 0} times`)
}
