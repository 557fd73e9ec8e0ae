import { findValue } from '../../shared/format/find-value.ts'

const KINDS = {
  'account made': 'Account created by staff',
  'change email': 'Link to change the email address',
  'delete user': 'Link to delete the account',
  'email change requested': 'Notice of a requested address change',
  'email changed': 'Notice of a changed email address',
  'email restored': 'Notice of a restored email address',
  'email set by staff': 'Notice of an address set by staff',
  invitation: 'Invitation',
  'new sign-in': 'Notice of a new device',
  'ownership given': 'Notice of a given ownership',
  'ownership received': 'Notice of a received ownership',
  'password changed': 'Notice of a changed password',
  'password link by staff': 'Link to choose a password, sent by staff',
  'password set by staff': 'Notice of a password set by staff',
  'reset password': 'Link to set a new password',
  'set password': 'Link to choose a password',
  test: 'Test email',
  'two-step reset by staff': 'Notice of a reset of two-step verification',
  'user deleted': 'Notice of a deleted account',
  'verify email': 'Link to verify the email address',
}

/** What an email is, in words. */
export function emailKind(kind: string): string {
  return findValue(KINDS, kind) ?? kind
}
