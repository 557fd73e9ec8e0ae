const SEEN: Record<string, string> = {
  profile: 'your name and picture',
  email: 'your email address',
  organization: 'your organization and your role in it',
}

/** The data that an app sees, in a sentence. */
export function whatItSees(scopes: string[]): string {
  const seen = Object.entries(SEEN).flatMap(([scope, words]) => (scopes.includes(scope) ? [words] : []))
  if (seen.length === 0) return 'It sees only the id of your account.'
  return `It sees ${new Intl.ListFormat('en', { type: 'conjunction' }).format(seen)}.`
}
