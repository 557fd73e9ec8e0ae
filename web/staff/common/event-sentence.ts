import type { AuditAction } from '../../../server/core/audit/actions.ts'
import { findValue } from '../../shared/format/find-value.ts'
import { isolated } from '../../shared/format/isolated.ts'
import { number } from '../../shared/format/number.ts'

type AuditEvent = {
  action: AuditAction
  actorId: string | null
  actorName: string | null
  impersonatedBy: string | null
  subjectId: string | null
  subjectName: string | null
  organizationName: string | null
  ipAddress: string | null
  userAgent: string | null
  details: Record<string, unknown>
}

type Words = {
  who: string
  /** " of Hilda"; empty if the actor is the subject. */
  of: string
  subject: string
  /** The subject; "their own account" if it is the actor. */
  whom: string
  organization: string
  /** " in Example Works" */
  inOrganization: string
  detail: (name: string) => string
}

const SENTENCES: Record<AuditAction, (words: Words) => string> = {
  // The subject is a disabled or expired API key, or a banned user. An app is in the details.
  'access.refused': ({ who, of, subject, detail }) => {
    if (detail('code') === 'invalid_client')
      return `${detail('name') === '' ? 'An unknown app' : `The app ${detail('name')}`} was refused at ${detail('route')}`
    const named = detail('code') === 'BANNED_USER' ? `The banned user ${subject}` : `The API key ${subject}`
    return `${of === '' ? who : named} was refused at ${detail('route')}`
  },
  'api-key.created': ({ who, detail, inOrganization }) =>
    `${who} created the API key ${detail('name')}${inOrganization}`,
  'api-key.deleted': ({ who, detail, inOrganization }) =>
    `${who} deleted the API key ${detail('name')}${inOrganization}`,
  'api-key.rotated': ({ who, detail, inOrganization }) =>
    `${who} rotated the API key ${detail('name')}${inOrganization}`,
  'api-key.updated': ({ who, whom, inOrganization }) => `${who} changed the API key ${whom}${inOrganization}`,
  'audit-log.purged': ({ who }) => `${who} purged the oldest part of the audit log`,
  'database.moved': ({ who, detail }) => `${who} moved the database from ${detail('from')} to ${detail('to')}`,
  'database.restored': ({ who }) => `${who} restored the database from a backup`,
  'email.change-requested': ({ who, of }) => `${who} requested a change of the email address${of}`,
  'email.change-undone': ({ who, of }) => `${who} undid the change of the email address${of}`,
  'email.changed': ({ who, of }) => `${who} changed the email address${of}`,
  'email.verification-requested': ({ who, of }) => `${who} requested a link to verify the email address${of}`,
  'email.retried': ({ who }) => `${who} sent a failed email again`,
  'email.test-sent': ({ who }) => `${who} sent a test email`,
  'email.verified': ({ who, of }) => `${who} verified the email address${of}`,
  'impersonation.ended': ({ who, of }) => `${who} ended the impersonation${of}`,
  'impersonation.started': ({ who, whom }) => `${who} started to impersonate ${whom}`,
  'invitation.accepted': ({ who, inOrganization }) => `${who} accepted an invitation${inOrganization}`,
  'invitation.canceled': ({ who, whom, inOrganization }) =>
    `${who} canceled the invitation of ${whom}${inOrganization}`,
  'invitation.created': ({ who, whom, detail, inOrganization }) =>
    detail('resend') === 'true'
      ? `${who} sent the invitation of ${whom} again${inOrganization}`
      : `${who} invited ${whom}${inOrganization}`,
  'invitation.rejected': ({ who, inOrganization }) => `${who} declined an invitation${inOrganization}`,
  'limit.cleared': ({ who }) => `${who} cleared a limit`,
  'limit.reached': ({ who, detail }) => `${who} reached a limit at ${detail('route')}`,
  // Staff who delete a user end the memberships of the user.
  'member.left': ({ who, of, whom, organization, inOrganization }) =>
    of === '' ? `${who} left ${organization}` : `${who} removed the member ${whom}${inOrganization}`,
  'member.removed': ({ who, whom, inOrganization }) => `${who} removed the member ${whom}${inOrganization}`,
  'member.role-set': ({ who, whom, detail, inOrganization }) =>
    `${who} changed the role of ${whom} to ${detail('role')}${inOrganization}`,
  'oauth-client.created': ({ who, detail, inOrganization }) =>
    `${who} connected the app ${detail('name')}${inOrganization}`,
  'oauth-client.deleted': ({ who, detail, inOrganization }) =>
    `${who} deleted the app ${detail('name')}${inOrganization}`,
  'oauth-client.secret-rotated': ({ who, detail, inOrganization }) =>
    `${who} replaced the secret of the app ${detail('name')}${inOrganization}`,
  'oauth-client.signed-in': ({ who, detail, inOrganization }) =>
    `${who} signed in to the app ${detail('name')}${inOrganization}`,
  'oauth-client.updated': ({ who, detail, inOrganization }) =>
    `${who} changed the app ${detail('name')}${inOrganization}`,
  'oauth-code.replayed': ({ detail, of }) =>
    `The app ${detail('clientId')} sent a code for the second time, and its access was ended${of}`,
  'oauth-consent.granted': ({ who, detail, of }) => `${who} gave the app ${detail('name')} access to the account${of}`,
  'oauth-consent.revoked': ({ who, detail, of }) =>
    `${who} ended the access of the app ${detail('name')} to the account${of}`,
  'oauth-device.denied': ({ who, detail }) => `${who} refused the device of the app ${detail('name')}`,
  'oauth-grant.revoked': ({ detail, of }) => `The app ${detail('clientId')} gave up its access${of}`,
  'oauth-logout.failed': ({ detail, of }) => `The app ${detail('name')} did not accept the log-out${of}`,
  'oauth-refresh.reused': ({ detail, of }) =>
    `The app ${detail('clientId')} sent a replaced token, and its access was ended${of}`,
  'oauth-token.exchanged': ({ detail, inOrganization, of }) =>
    `The app ${detail('name')} exchanged a token${of}${inOrganization}`,
  'organization.created': ({ who, organization }) => `${who} created the organization ${organization}`,
  'organization.deleted': ({ who, detail }) => `${who} deleted the organization ${detail('slug')}`,
  'organization.deletion-started': ({ who, detail }) => `${who} started to delete the organization ${detail('slug')}`,
  'organization.updated': ({ who, organization }) => `${who} changed the organization ${organization}`,
  'passkey.added': ({ who, detail, of }) => `${who} added the passkey ${detail('name')}${of}`,
  'passkey.deleted': ({ who, detail, of }) => `${who} removed the passkey ${detail('name')}${of}`,
  'passkey.refused': ({ who, of }) => `${who} used a passkey that was refused${of}`,
  'passkey.renamed': ({ who, detail, of }) => `${who} renamed a passkey to ${detail('name')}${of}`,
  'password.changed': ({ who, of }) => `${who} changed the password${of}`,
  'password.guess-failed': ({ who, of }) => `${who} entered a wrong password in a session${of}`,
  'password.link-sent': ({ who, whom }) => `${who} sent ${whom} a link to choose a password`,
  'password.reset-requested': ({ who, of }) => `${who} requested a link to set a new password${of}`,
  'password.set': ({ who, of }) => `${who} set a new password${of}`,
  'recovery-code.used': ({ subject }) => `${subject} used a recovery code`,
  'recovery-codes.created': ({ who, of }) => `${who} created new recovery codes${of}`,
  'secret.rotated': ({ who }) => `${who} replaced the secret of the service`,
  'session.ended': ({ who, of }) => `${who} ended a session${of}`,
  'session.refreshed': ({ subject }) => `${subject} authenticated again`,
  'session.started': ({ subject }) => `${subject} signed in`,
  'session.updated': ({ who, of }) => `${who} changed a session${of}`,
  'sign-in.failed': ({ subject }) => `A sign-in of ${subject} failed`,
  'sign-in.second-step-due': ({ subject }) => `The password of ${subject} was entered, and the second step was due`,
  'signing-key.created': ({ who }) => `${who} created a signing key`,
  'signing-key.withdrawn': ({ who }) => `${who} withdrew a signing key`,
  'trusted-device.added': ({ subject }) => `${subject} added a trusted device`,
  'trusted-device.revoked': ({ who, of }) => `${who} removed a trusted device${of}`,
  'two-factor.code-sent': ({ of }) => `A code of the second step was sent by email${of}`,
  'two-factor.disabled': ({ who, of }) => `${who} turned off two-step verification${of}`,
  'two-factor.enabled': ({ who, of }) => `${who} turned on two-step verification${of}`,
  'two-factor.failed': ({ subject }) => `A second step of ${subject} failed`,
  'two-factor.locked': ({ subject }) => `The second step of ${subject} was locked after too many wrong codes`,
  'two-factor.reset': ({ who, of }) => `${who} reset the two-step verification${of}`,
  'two-factor.secret-shown': ({ who, of }) => `${who} viewed the key of the authenticator app${of}`,
  'two-factor.verified': ({ subject }) => `${subject} verified the second step`,
  'user.ban-expired': ({ of }) => `The ban${of} expired`,
  'user.banned': ({ who, whom }) => `${who} banned ${whom}`,
  'user.created': ({ who, whom }) => `${who} created ${whom}`,
  'user.deleted': ({ who, whom }) => `${who} deleted ${whom}`,
  'user.deletion-requested': ({ who }) => `${who} requested a link to delete the account`,
  'user.role-set': ({ who, whom, detail }) => `${who} changed the role of ${whom} to ${detail('role')}`,
  'user.unbanned': ({ who, of }) => `${who} lifted the ban${of}`,
  'user.updated': ({ who, of }) => `${who} changed the profile${of}`,
}

export const AUDIT_ACTION_NAMES = Object.keys(SENTENCES)

export function eventSentence(event: AuditEvent): string {
  const sentence = findValue<(words: Words) => string>(SENTENCES, event.action)
  const { reason, count } = event.details
  const because = typeof reason === 'string' && reason !== '' ? `: ${isolated(reason)}` : ''
  const times = typeof count === 'number' && count > 1 ? `, ${number(count)} times` : ''
  const impersonated = event.impersonatedBy === null ? '' : ', impersonated by staff'
  return `${sentence?.(wordsOf(event)) ?? event.action}${times}${impersonated}${because}`
}

function wordsOf(event: AuditEvent): Words {
  const { actorId, subjectId, organizationName, details } = event
  const subject = isolated(event.subjectName ?? (subjectId === null ? 'an unknown user' : `deleted ${subjectId}`))
  const isOwn = subjectId !== null && subjectId === actorId
  return {
    who: actorOf(event),
    subject,
    of: isOwn || subjectId === null ? '' : ` of ${subject}`,
    whom: isOwn ? 'their own account' : subject,
    organization: isolated(organizationName ?? 'a deleted organization'),
    inOrganization: organizationName === null ? '' : ` in ${isolated(organizationName)}`,
    detail: (name) => isolated(String(details[name] ?? '')),
  }
}

function actorOf({ actorId, actorName, ipAddress, userAgent }: AuditEvent): string {
  if (actorName !== null) return isolated(actorName)
  if (actorId !== null) return 'A deleted user'
  // Only requests have an IP address. A client can send any user agent, also "command line".
  if (ipAddress !== null) return 'A browser without a session'
  if (userAgent === 'maintenance') return 'The service'
  return userAgent === 'command line' ? 'The command line' : 'A browser without a session'
}
