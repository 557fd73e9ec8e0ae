import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from './queries.ts'

/** The services in SERVICES. */
export function useServices() {
  const { data: settings } = useQuery(settingsQuery)
  return settings?.services ?? []
}
