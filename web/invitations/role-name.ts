import { findValue } from '../shared/format/find-value.ts'

const NAMES = { owner: 'an owner', admin: 'an administrator', member: 'a member' }

/** A role with its article. */
export function roleName(role: string): string {
  return findValue(NAMES, role) ?? role
}
