import { useCaller } from '../../shared/api/caller.ts'

/** False for support. The service authorizes each request; pages only show which controls are off. */
export function useIsAdministrator(): boolean {
  return useCaller().user.role === 'admin'
}
