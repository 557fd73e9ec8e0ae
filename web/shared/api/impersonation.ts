import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from './queries.ts'

/**
 * The name of the user whom staff impersonate in this browser, or null. The hook sends no request: it is for pages
 * without a session, too.
 */
export function useImpersonatedName(): string | null {
  const { data: caller } = useQuery({ ...sessionQuery, enabled: false })
  return caller?.session.impersonatedBy ? caller.user.name : null
}
