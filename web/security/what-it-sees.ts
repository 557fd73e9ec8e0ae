const SEEN: Record<string, string[]> = {
  profile: ['your name', 'your picture'],
  email: ['your email address'],
  // The access tokens have all of these.
  organization: ['your name', 'your email address', 'your organization', 'your role in it'],
}

/** The data that an app sees, in a sentence. */
export function whatItSees(scopes: string[]): string {
  const all = Object.entries(SEEN).flatMap(([scope, words]) => (scopes.includes(scope) ? words : []))
  const seen = [...new Set(all)]
  if (seen.length === 0) return 'It sees only the id of your account.'
  return `It sees ${new Intl.ListFormat('en', { type: 'conjunction' }).format(seen)}.`
}
