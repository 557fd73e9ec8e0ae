import { useCaller } from '../../shared/api/caller.ts'

/** Otherwise the caller is support. The service decides; pages only show which controls are off. */
export function useIsAdministrator(): boolean {
  return useCaller().user.role === 'admin'
}
