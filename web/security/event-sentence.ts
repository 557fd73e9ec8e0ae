import { UNKNOWN_DEVICE } from '../../server/platform/http/user-agent.ts'
import { moment } from '../shared/format/moment.ts'
import { number } from '../shared/format/number.ts'
import { serviceRoleName } from '../shared/format/role-name.ts'
import type { SecurityEvent } from './queries.ts'

const STAFF = 'The staff of this service'

export function eventSentence(event: SecurityEvent): string {
  const { action, details, byStaff } = event
  const name = `“${details.name}”`
  switch (action) {
    case 'session.started':
      return `${device(event)} signed in${method(event)}.`
    case 'session.ended':
      return ended(event)
    case 'sign-in.failed':
      return `${times(event, 'A sign-in', 'sign-ins')}${method(event)} failed.`
    case 'sign-in.second-step-due':
      return `${device(event)} entered your password, and was asked for the second step.`
    case 'password.guess-failed':
      return `${times(event, 'A wrong password', 'wrong passwords')} for a change of your account.`
    case 'password.changed':
    case 'password.set':
      return byStaff ? `${STAFF} set a new password.` : 'Your password was changed.'
    case 'password.reset-requested':
      return `${times(event, 'A link', 'links')} to choose a new password ${count(event) === 1 ? 'was' : 'were'} requested.`
    case 'password.link-sent':
      return `${STAFF} sent you a link to choose a new password.`
    case 'passkey.added':
      return `The passkey ${name} was added.`
    case 'passkey.deleted':
      return `The passkey ${name} was removed.`
    case 'passkey.renamed':
      // Events of earlier versions have only the new name.
      return `${details.before ? `The passkey “${details.before}”` : 'A passkey'} was renamed to ${name}.`
    case 'oauth-client.signed-in':
      return `You signed in to the app ${name}.`
    case 'oauth-code.replayed':
    case 'oauth-refresh.reused':
      return 'An app used a code or token that was used before. Its access was ended.'
    case 'oauth-consent.granted':
      return `The app ${name} got access to your account.`
    case 'oauth-consent.revoked':
      return `The access of the app ${name} was ended.`
    case 'two-factor.code-sent':
      return 'A code for the second step was sent to you by email.'
    case 'two-factor.enabled':
      return 'Two-step verification was turned on.'
    case 'two-factor.disabled':
      return 'Two-step verification was turned off.'
    case 'two-factor.reset':
      return `${STAFF} reset your two-step verification.`
    case 'two-factor.secret-shown':
      return 'The key of your authenticator app was shown.'
    case 'two-factor.verified':
      return 'The second step was verified.'
    case 'two-factor.failed':
      return 'A wrong code was entered in the second step.'
    case 'two-factor.locked':
      return 'Codes were refused for some minutes, after too many wrong ones.'
    case 'recovery-code.used':
      return `A recovery code was used. Left: ${details.remaining}.`
    case 'recovery-codes.created':
      return 'New recovery codes were created.'
    case 'trusted-device.added':
      return `${device(event)} became a trusted device.`
    case 'trusted-device.revoked':
      return `${times(event, 'A trusted device', 'trusted devices')} ${count(event) === 1 ? 'was' : 'were'} removed.`
    case 'email.change-requested':
      return 'A change of your email address was requested.'
    case 'email.changed':
      return byStaff ? `${STAFF} changed your email address.` : 'Your email address was changed.'
    case 'email.change-undone':
      return 'The change of your email address was undone.'
    case 'email.verified':
      return 'Your email address was verified.'
    case 'impersonation.started':
      return `${STAFF} started to impersonate you.`
    case 'impersonation.ended':
      return `${STAFF} stopped impersonating you.`
    case 'user.banned':
      return `${STAFF} banned your account${until(details.expiresAt)}.`
    case 'user.unbanned':
      return `${STAFF} ended the ban of your account.`
    case 'user.ban-expired':
      return 'The ban of your account expired.'
    case 'user.created':
      return byStaff ? `${STAFF} created your account.` : 'Your account was created.'
    case 'user.deletion-requested':
      return 'A link to delete your account was requested.'
    case 'user.role-set':
      return `${STAFF} changed your role from ${roleName(details.before)} to ${roleName(details.role)}.`
    default:
      return action
  }
}

function device({ device, impersonated }: SecurityEvent): string {
  if (impersonated) return STAFF
  return device === null || device === UNKNOWN_DEVICE ? 'A device' : device
}

function method({ details }: SecurityEvent): string {
  if (details.method === 'password') return ' with your password'
  return details.method === 'passkey' ? ' with a passkey' : ''
}

function ended(event: SecurityEvent): string {
  if (event.details.reason === 'too many sessions')
    return 'Your oldest sessions were ended, because there were too many.'
  const ended = times(event, 'A session', 'sessions')
  if (event.byStaff) return `${STAFF} signed you out${count(event) === 1 ? ' on a device' : ''}.`
  return `${ended} ${count(event) === 1 ? 'was' : 'were'} signed out.`
}

function until(time: unknown): string {
  return typeof time === 'string' || typeof time === 'number' ? ` until ${moment(new Date(time))}` : ''
}

function roleName(role: unknown): string {
  return serviceRoleName(String(role))
}

/** The service stores repeated events as one, with their count. */
function count({ details }: SecurityEvent): number {
  return Number(details.count ?? 1)
}

function times(event: SecurityEvent, one: string, several: string): string {
  return count(event) === 1 ? one : `${number(count(event))} ${several}`
}
