/** Roles in an organization. */
export const ORGANIZATION_ROLES = { owner: 'Owner', admin: 'Admin', member: 'Member' }

/** Roles in the service. */
export const SERVICE_ROLES = { user: 'User', support: 'Support', admin: 'Administrator' }
