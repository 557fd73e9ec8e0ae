import { isStaff } from '../../shared/api/is-staff.ts'
import type { StaffUser } from './queries.ts'

type Staff = Pick<StaffUser, 'id' | 'role'>
type Target = Pick<StaffUser, 'id' | 'role' | 'banned' | 'twoFactorEnabled'>

/** Why staff may not ban a user or revoke sessions; undefined if they may. The service checks each request itself. */
export function whyNotManage(staff: Staff, target: Target): string | undefined {
  if (isStaff(target) && staff.role !== 'admin' && staff.id !== target.id)
    return 'This user is staff. Only administrators manage staff.'
  return undefined
}

export function whyNotBan(staff: Staff, target: Target): string | undefined {
  return staff.id === target.id ? 'You can’t ban yourself.' : whyNotManage(staff, target)
}

export function whyNotAdminister(staff: Staff, target: Target, what: string): string | undefined {
  if (staff.role !== 'admin') return `Only administrators ${what}.`
  return staff.id === target.id ? 'This is your own account: use the account pages.' : undefined
}

export function whyNotSendLink(staff: Staff, target: Target): string | undefined {
  const reason = whyNotAdminister(staff, target, 'send password links')
  return reason ?? (target.banned ? 'No link works during a ban. Lift the ban first.' : undefined)
}

export function whyNotImpersonate(staff: Staff, target: Target): string | undefined {
  const reason = whyNotAdminister(staff, target, 'impersonate users')
  if (reason) return reason
  if (isStaff(target)) return 'Staff can’t be impersonated.'
  return target.banned ? 'A banned user can’t be impersonated. Lift the ban first.' : undefined
}

export function whyNotResetTwoStep(staff: Staff, target: Target): string | undefined {
  const reason = whyNotAdminister(staff, target, 'reset two-step verification')
  return reason ?? (target.twoFactorEnabled ? undefined : 'This user has no two-step verification.')
}
