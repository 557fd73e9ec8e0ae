import type { MemberRow, OrganizationRole } from '../../platform/database/tables.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { updateMemberRow } from './store.ts'

/** For a transaction that has locked the organization and authorized the change. */
export async function setMemberRole(
  { transaction, record }: UnitOfWork,
  member: MemberRow,
  role: OrganizationRole,
  reason?: string,
): Promise<MemberRow> {
  await updateMemberRow(transaction, member.id, { role })
  await record({
    action: 'member.role-set',
    subjectId: member.userId,
    organizationId: member.organizationId,
    details: { role, formerRole: member.role, ...(reason !== undefined && { reason }) },
  })
  return { ...member, role }
}
