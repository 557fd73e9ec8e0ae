import { queryClient } from '../../shared/api/queries.ts'

/** After a change, everything that staff pages show may be different. */
export function refreshStaffPages(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['staff'] })
}
