const SEEN: Record<string, string[]> = {
  profile: ['name', 'picture'],
  email: ['email address'],
  // The access tokens have all of these.
  organization: ['name', 'email address', 'organization', 'role in it'],
}

/** The data of a user that an app sees, beside the user id. */
export function listSeenData(scopes: string[]): string[] {
  const all = Object.entries(SEEN).flatMap(([scope, words]) => (scopes.includes(scope) ? words : []))
  return [...new Set(all)]
}
