import type { OrganizationRole, ServiceRole } from '../../platform/database/tables.ts'

interface Role<Name> {
  role: Name
  /** The first role that is not imported. */
  unknown: string | undefined
}

/** Only `admin` becomes a role of staff: another role of Better Auth may have the same name and fewer permissions. */
export function toServiceRole(text: string | null | undefined): Role<ServiceRole> {
  return highestOf(text, ['admin', 'user'])
}

export function toOrganizationRole(text: string | null | undefined): Role<OrganizationRole> {
  return highestOf(text, ['owner', 'admin', 'member'])
}

/** Better Auth separates several roles by commas. @param known the highest first; the last one is the default */
function highestOf<Name extends string>(text: string | null | undefined, known: [...Name[], Name]): Role<Name> {
  const roles = (text ?? '').split(',').map((role) => role.trim())
  const role = known.find((name) => roles.includes(name)) ?? (known.at(-1) as Name)
  return { role, unknown: roles.find((name) => name !== '' && !known.some((other) => other === name)) }
}
