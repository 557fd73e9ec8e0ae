import type { Config } from '../../platform/config/config.ts'

/** The token is in the fragment, which browsers send to no server. */
export function resetLink({ baseUrl }: Pick<Config, 'baseUrl'>, token: string, next: string | null = null): string {
  const query = next === null ? '' : `?${new URLSearchParams({ next })}`
  return `${baseUrl}/reset-password${query}#token=${token}`
}
