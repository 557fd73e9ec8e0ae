import type { Role } from './roles.ts'

/** Why the caller may not do something. Undefined if the caller may. */
export type Obstacles = {
  /** For actions of owners and admins. */
  manage?: string | undefined
  /** For actions of owners only. */
  own?: string | undefined
}

export const IMPERSONATION = 'You are impersonating this user. Impersonators change nothing here.'

export const OWNERS_CHANGE_INVITATION = 'Only owners send the invitation of an owner again, or cancel it.'

/** The service decides. The pages switch off what it would refuse, so that no user fills in a form in vain. */
export function getObstacles(role: Role, isImpersonated: boolean): Obstacles {
  if (isImpersonated) {
    return { manage: IMPERSONATION, own: IMPERSONATION }
  }
  if (role === 'owner') return {}
  if (role === 'admin') return { own: 'Only owners do this. You are an admin.' }
  return {
    own: 'Only owners do this. You are a member.',
    manage: 'Only owners and admins do this. You are a member.',
  }
}
