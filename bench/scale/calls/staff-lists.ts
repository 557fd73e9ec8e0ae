import type { AuditAction } from '../../../server/core/audit/actions.ts'
import type { TestMember } from '../../../test/support/users.ts'
import type { Calls } from '../call.ts'
import { idOf } from '../names.ts'
import type { Scene } from '../scene.ts'
import { ask, list, PAGE, PATH } from './staff-scene.ts'

const DAY = 86_400_000

export const staffListCalls: Calls = {
  [`GET ${PATH}/list-users`]: list({}),
  [`GET ${PATH}/list-users (newest)`]: list({ sortBy: 'createdAt', sortDirection: 'desc' }),
  [`GET ${PATH}/list-users (email)`]: ask(({ email }) => ({
    ...PAGE,
    searchField: 'email',
    searchOperator: 'starts_with',
    searchValue: email,
  })),
  [`GET ${PATH}/list-users (part of an email)`]: ask(({ email }) => ({
    ...PAGE,
    searchField: 'email',
    searchValue: email.slice(2),
  })),
  [`GET ${PATH}/list-users (administrators)`]: list({ filterField: 'role', filterValue: 'admin' }),
  [`GET ${PATH}/list-users (verified)`]: list({ filterField: 'emailVerified', filterValue: 'true' }),
  [`GET ${PATH}/list-organizations`]: list({}),
  [`GET ${PATH}/list-organizations (newest)`]: list({ sortBy: 'createdAt', sortDirection: 'desc' }),
  [`GET ${PATH}/list-organizations (search)`]: list({ searchValue: 'maria' }),
  [`GET ${PATH}/get-organization`]: ask(({ organization }) => ({ id: organization.id })),
  [`GET ${PATH}/list-organization-members`]: ask(({ organization }) => ({ organizationId: organization.id, ...PAGE })),
  [`GET ${PATH}/list-user-memberships`]: ask(({ id }) => ({ userId: id })),
  [`GET ${PATH}/list-user-apps`]: ask(({ id }) => ({ userId: id })),
  [`GET ${PATH}/list-invitations`]: list({}),
  [`GET ${PATH}/list-invitations (pending)`]: list({ status: 'pending' }),
  [`GET ${PATH}/list-invitations (failed)`]: list({ status: 'failed' }),
  [`GET ${PATH}/list-invitations (email)`]: list({ email: 'invited-16@' }),
  [`GET ${PATH}/list-invitations (organization)`]: ask(({ organization }) => ({
    organizationId: organization.id,
    ...PAGE,
  })),
}

const PERIOD = (now: number) => ({ from: String(now - 200 * DAY), until: String(now - 100 * DAY) })

const auditQuestion = (toQuery: (user: TestMember, scene: Scene) => Record<string, string>) =>
  ask((user, scene) => ({ ...PAGE, ...toQuery(user, scene) }))
const action = (name: AuditAction) => ({ action: name })

export const staffAuditCalls: Calls = {
  [`GET ${PATH}/list-audit-events`]: list({}),
  [`GET ${PATH}/list-audit-events (user)`]: auditQuestion(({ id }) => ({ userId: id })),
  [`GET ${PATH}/list-audit-events (actor)`]: auditQuestion(({ id }) => ({ actorId: id })),
  [`GET ${PATH}/list-audit-events (subject)`]: auditQuestion(({ id }) => ({ subjectId: id })),
  [`GET ${PATH}/list-audit-events (organization)`]: auditQuestion(({ organization }) => ({
    organizationId: organization.id,
  })),
  [`GET ${PATH}/list-audit-events (action)`]: auditQuestion(() => action('user.updated')),
  [`GET ${PATH}/list-audit-events (action that never happened)`]: auditQuestion(() => action('oauth-code.replayed')),
  [`GET ${PATH}/list-audit-events (request)`]: auditQuestion((_user, scene) => ({
    requestId: `request-${scene.next() % scene.users}`,
  })),
  [`GET ${PATH}/list-audit-events (period)`]: auditQuestion((_user, scene) => PERIOD(scene.context.now())),
  [`GET ${PATH}/list-audit-events (action of a user)`]: auditQuestion(({ id }) => ({
    userId: id,
    ...action('user.updated'),
  })),
  [`GET ${PATH}/list-audit-events (action of an actor)`]: auditQuestion(() => ({
    actorId: idOf('usr', 1),
    ...action('user.updated'),
  })),
  [`GET ${PATH}/list-audit-events (action in an organization)`]: auditQuestion(({ organization }) => ({
    organizationId: organization.id,
    ...action('user.updated'),
  })),
  [`GET ${PATH}/list-audit-events (actor and subject)`]: auditQuestion(({ id }) => ({
    actorId: idOf('usr', 1),
    subjectId: id,
  })),
  [`GET ${PATH}/list-user-events`]: auditQuestion(({ id }) => ({ userId: id })),
}
