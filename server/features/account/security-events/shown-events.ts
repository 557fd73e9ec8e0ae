import type { AuditAction } from '../../../core/audit/actions.ts'

/** The events that users see of their account, each with the details that contain nothing about others. */
export const SHOWN_DETAILS: Partial<Record<AuditAction, readonly string[]>> = {
  'email.change-requested': [],
  'email.change-undone': [],
  'email.changed': [],
  'email.verified': [],
  'impersonation.ended': [],
  'impersonation.started': ['expiresAt'],
  'oauth-client.signed-in': ['name'],
  'oauth-code.replayed': [],
  'oauth-consent.granted': ['name'],
  'oauth-consent.revoked': ['name'],
  'oauth-refresh.reused': [],
  'passkey.added': ['name'],
  'passkey.deleted': ['name'],
  'passkey.renamed': ['name', 'before'],
  'password.changed': [],
  'password.guess-failed': ['count'],
  'password.link-sent': [],
  'password.reset-requested': ['count'],
  'password.set': [],
  'recovery-code.used': ['remaining'],
  'recovery-codes.created': [],
  'session.ended': ['count', 'reason'],
  'session.started': ['method'],
  'sign-in.failed': ['count', 'method', 'code', 'reason'],
  'sign-in.second-step-due': ['method'],
  'trusted-device.added': [],
  'trusted-device.revoked': ['count'],
  'two-factor.code-sent': [],
  'two-factor.disabled': [],
  'two-factor.enabled': ['method'],
  'two-factor.failed': ['method'],
  'two-factor.locked': [],
  'two-factor.reset': [],
  'two-factor.secret-shown': [],
  'two-factor.verified': ['method'],
  'user.ban-expired': [],
  'user.banned': ['expiresAt'],
  'user.created': [],
  'user.deletion-requested': [],
  'user.role-set': ['role', 'before'],
  'user.unbanned': [],
}

export const SHOWN_ACTIONS = Object.keys(SHOWN_DETAILS) as AuditAction[]

/** Only staff cause these events of another user. So the actor was staff at that time, even if not any more. */
export const STAFF_ACTIONS = new Set<AuditAction>([
  'email.changed',
  'impersonation.started',
  'password.link-sent',
  'two-factor.reset',
  'user.banned',
  'user.role-set',
  'user.unbanned',
])

/** Any client can cause these events of an account, also a client that is signed in as another user. */
export const ANYONE_ACTIONS = new Set<AuditAction>([
  'password.reset-requested',
  'sign-in.failed',
  'sign-in.second-step-due',
  'two-factor.code-sent',
  'two-factor.failed',
  'two-factor.locked',
])
