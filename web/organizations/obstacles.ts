/** Why the caller can not do something. Undefined: they can. */
export type Obstacles = {
  /** What owners and admins do. */
  manage?: string | undefined
  /** What only owners do. */
  own?: string | undefined
}

/** The service decides, too. A control that it would refuse is off, so that a form is not filled in for nothing. */
export function getObstacles(role: string, isImpersonated: boolean): Obstacles {
  if (isImpersonated) {
    const obstacle = 'You are impersonating this user. Impersonators change nothing here.'
    return { manage: obstacle, own: obstacle }
  }
  if (role === 'owner') return {}
  if (role === 'admin') return { own: 'Only owners do this. You are an admin.' }
  return {
    own: 'Only owners do this. You are a member.',
    manage: 'Only owners and admins do this. You are a member.',
  }
}
