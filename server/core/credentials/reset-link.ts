import type { Config } from '../../platform/config/config.ts'

/**
 * The link to our page for a new password. The token is in the fragment, which browsers send to no server.
 * @param next where the page returns the user to; null for none
 */
export function resetLink({ baseUrl }: Pick<Config, 'baseUrl'>, token: string, next: string | null = null): string {
  const query = next === null ? '' : `?${new URLSearchParams({ next })}`
  return `${baseUrl}/reset-password${query}#token=${token}`
}
