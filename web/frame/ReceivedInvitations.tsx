import { useReceivedInvitations } from '../shared/api/use-received-invitations.ts'
import { InvitationButtons } from '../shared/components/InvitationButtons.tsx'
import { RailGroup } from './RailGroup.tsx'
import { useAreOrganizationsLoaded } from './use-are-links-loaded.ts'

export function ReceivedInvitations() {
  const invitations = useReceivedInvitations()
  if (!useAreOrganizationsLoaded() || invitations.length === 0) return null
  return (
    <RailGroup label="Invitations to you">
      {invitations.map((invitation) => (
        <li key={invitation.id} className="rail-invitation">
          <p>{invitation.organizationName}</p>
          <InvitationButtons invitation={invitation} />
        </li>
      ))}
    </RailGroup>
  )
}
