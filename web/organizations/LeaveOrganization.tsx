import type { Static } from 'typebox'
import type { LeaveResponse } from '../../server/features/organizations/members/schemas.ts'
import { useCaller } from '../shared/api/caller.ts'
import { request } from '../shared/api/request.ts'
import { workingKeys } from '../shared/format/working-keys.ts'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'
import { Controls } from './Controls.tsx'
import type { Shown } from './OrganizationPage.tsx'
import { IMPERSONATION } from './obstacles.ts'
import type { Role } from './roles.ts'
import { useLeavePages } from './use-leave-pages.ts'

export function LeaveOrganization({ overview: { organization, role, memberCounts } }: Pick<Shown, 'overview'>) {
  const { session } = useCaller()
  const { id: organizationId, name, slug } = organization
  const leavePages = useLeavePages(slug)

  /** The types of the official client lack the API keys. */
  async function leave() {
    const { apiKeys } = await request<Static<typeof LeaveResponse>>('/api/auth/organization/leave', { organizationId })
    void leavePages(`You left ${name}.${workingKeys('you', apiKeys)}`)
  }

  return (
    <Controls obstacle={findObstacle(role, memberCounts.owner, Boolean(session.impersonatedBy))}>
      <InlineConfirm
        label="Leave…"
        about={name}
        question={
          <>
            Leave <strong>{name}</strong>? You get no tokens for it any more, and your open invitations pass to an
            owner. To come back, you need an invitation.
          </>
        }
        confirmLabel="Leave this organization"
        pendingLabel="Leaving…"
        action={leave}
      />
    </Controls>
  )
}

function findObstacle(role: Role, ownerCount: number, isImpersonated: boolean): string | undefined {
  if (isImpersonated) return IMPERSONATION
  if (role !== 'owner' || ownerCount > 1) return undefined
  return 'You are the only owner. Make another member an owner first, or delete the organization.'
}
