import type { OrganizationRole } from '../../../server/platform/database/tables.ts'
import { findValue } from './find-value.ts'

const NAMES: Record<OrganizationRole, string> = { owner: 'an owner', admin: 'an admin', member: 'a member' }

/** A role in an organization, in the middle of a sentence. */
export function roleWithArticle(role: string): string {
  return findValue(NAMES, role) ?? role
}
