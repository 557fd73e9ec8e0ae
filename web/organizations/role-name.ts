const NAMES: Record<string, string> = { owner: 'an owner', admin: 'an administrator', member: 'a member' }

/** A role with its article, to follow "as". */
export function roleName(role: string): string {
  return NAMES[role] ?? role
}
