import type { EmailKind } from '../../../server/platform/mail/email.ts'
import { findValue } from '../../shared/format/find-value.ts'

export const EMAIL_KINDS: Record<EmailKind, string> = {
  'account made': 'Account created by staff',
  'change email': 'Link to change the email address',
  'delete user': 'Link to delete the account',
  'email change requested': 'Notice of a requested address change',
  'email changed': 'Notice of a changed email address',
  'email restored': 'Notice of a restored email address',
  'email set by staff': 'Notice of an address set by staff',
  invitation: 'Invitation',
  'new sign-in': 'Notice of a new device',
  'organization deleted': 'Notice of a deleted organization',
  'ownership ended': 'Notice of an ended ownership',
  'ownership given': 'Notice of a given ownership',
  'ownership received': 'Notice of a received ownership',
  'passkey added': 'Notice of an added passkey',
  'passkey deleted': 'Notice of a removed passkey',
  'password changed': 'Notice of a changed password',
  'password link by staff': 'Link to choose a password, sent by staff',
  'password set by staff': 'Notice of a password set by staff',
  'recovery code used': 'Notice of a used recovery code',
  'recovery codes created': 'Notice of new recovery codes',
  'reset password': 'Link to set a new password',
  'second step code': 'Code for two-step verification',
  'second step locked': 'Notice of too many wrong codes',
  'set password': 'Link to choose a password',
  'sign-in not finished': 'Notice of a sign-in without its second step',
  'test email': 'Test email',
  'two-step disabled': 'Notice that two-step verification is off',
  'two-step enabled': 'Notice that two-step verification is on',
  'two-step key shown': 'Notice of a shown key of the authenticator app',
  'two-step reset by staff': 'Notice of a reset of two-step verification',
  'user deleted': 'Notice of a deleted account',
  'verify email': 'Link to verify the email address',
}

export function emailKind(kind: string): string {
  return findValue(EMAIL_KINDS, kind) ?? kind
}
