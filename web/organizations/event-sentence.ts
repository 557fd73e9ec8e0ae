import type { Static } from 'typebox'
import type { ListOrganizationEventsResponse } from '../../server/features/organizations/audit/schemas.ts'
import { findValue } from '../shared/format/find-value.ts'
import { roleWithArticle } from '../shared/format/role-with-article.ts'

type OrganizationEvent = Static<typeof ListOrganizationEventsResponse>['events'][number]
type Words = {
  subject: string
  details: Record<string, unknown>
  /** Staff who delete a user end the memberships of the user. */
  isDeletion: boolean
}

const SENTENCES: Partial<Record<OrganizationEvent['action'], (words: Words) => string>> = {
  'organization.created': () => 'created the organization',
  'organization.updated': ({ details }) => `changed the organization: ${fieldsOf(details)}`,
  'organization.deletion-started': () => 'started to delete the organization',
  'member.left': ({ isDeletion, subject }) => (isDeletion ? `removed ${subject}` : 'left the organization'),
  'member.removed': ({ subject }) => `removed ${subject}`,
  'member.role-set': ({ subject, details }) => `made ${subject} ${roleOf(details)}`,
  'invitation.created': ({ subject, details }) =>
    details.resend === true ? `sent the invitation of ${subject} again` : `invited ${subject} as ${roleOf(details)}`,
  'invitation.accepted': ({ details }) => `joined as ${roleOf(details)}`,
  'invitation.rejected': () => 'declined the invitation',
  'invitation.canceled': ({ subject }) => `canceled the invitation of ${subject}`,
  'api-key.created': ({ details }) => `created the API key “${details.name}”`,
  'api-key.updated': ({ subject }) => `changed the API key ${subject}`,
  'api-key.deleted': ({ details }) => `deleted the API key “${details.name}”`,
  'api-key.rotated': ({ subject }) => `rotated the API key ${subject}`,
  'oauth-client.created': ({ details }) => `connected the app “${details.name}”`,
  'oauth-client.updated': ({ details }) => `changed the app “${details.name}”`,
  'oauth-client.secret-rotated': ({ details }) => `replaced the secret of the app “${details.name}”`,
  'oauth-client.deleted': ({ details }) => `deleted the app “${details.name}”`,
  'oauth-client.signed-in': ({ details }) => `signed in to the app “${details.name}”`,
  'oauth-token.exchanged': ({ details }) => `got a token through the app “${details.name}”`,
  'oauth-logout.failed': ({ subject, details }) => `could not sign ${subject} out of the app “${details.name}”`,
  'access.refused': () => 'tried an action that was refused',
  'limit.reached': () => 'reached a limit',
}

const FIELD_NAMES: Record<string, string> = {
  name: 'name',
  slug: 'address',
  logo: 'logo',
  metadata: 'metadata',
  requireTwoFactor: 'two-step verification',
}
/** Other actions are about a user. */
const NOT_ABOUT_USER = /^(api-key|invitation)\./

export function eventSentence(event: OrganizationEvent, callerId: string): string {
  const predicate = findValue(SENTENCES, event.action)
  const subject = event.subjectName ?? (NOT_ABOUT_USER.test(event.action) ? 'something deleted' : 'a deleted user')
  const isDeletion = event.subjectName === null && event.subjectId !== event.actorId
  const said = predicate ? predicate({ subject, details: event.details, isDeletion }) : event.action
  return `${actorOf(event, callerId)} ${said}.`
}

function actorOf(event: OrganizationEvent, callerId: string): string {
  const { action, actorId, actorName, byStaff, subjectName, details } = event
  // The service does not know who sent a wrong secret, so the app counts as the actor.
  if (action === 'access.refused' && details.code === 'invalid_client') return `The app “${details.name}”`

  if (byStaff) return actorName === null ? 'The staff of this service' : `The staff of this service, as ${actorName},`
  // The only other refused calls without a user are those of disabled and expired API keys.
  if (actorId === null && action === 'access.refused')
    return subjectName === null ? 'A deleted API key' : `The API key ${subjectName}`
  if (actorId === null) return 'The service'
  if (actorId === callerId) return 'You'
  return actorName ?? 'A deleted user'
}

function roleOf({ role }: Record<string, unknown>): string {
  return roleWithArticle(String(role))
}

function fieldsOf({ fields }: Record<string, unknown>): string {
  return String(fields)
    .split(', ')
    .map((name) => findValue(FIELD_NAMES, name) ?? name)
    .join(', ')
}
