import { useQuery } from '@tanstack/react-query'
import { useCaller } from './caller.ts'
import { isStaff } from './is-staff.ts'
import { settingsQuery } from './queries.ts'

/** Whether ORGANIZATION_CREATION lets the user create organizations. Until the settings are loaded, it may. */
export function useMayCreateOrganizations(): boolean {
  const { user } = useCaller()
  const { data: settings } = useQuery(settingsQuery)
  return settings?.organizationCreation !== 'staff' || isStaff(user)
}
