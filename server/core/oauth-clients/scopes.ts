export const SCOPES = ['openid', 'profile', 'email', 'offline_access', 'organization'] as const

export function splitScopes(scopes: string | undefined): string[] {
  return scopes?.split(' ').filter((scope) => scope !== '') ?? []
}

/** The scopes of a request without unknown ones, which are ignored (OpenID Connect Core 1.0, section 3.1.2.1). */
export function splitKnownScopes(scopes: string | undefined): string[] {
  return splitScopes(scopes).filter(isKnownScope)
}

export function isKnownScope(scope: string): boolean {
  return SCOPES.some((known) => known === scope)
}
