import type { Invitation } from '../api/own-endpoints.ts'
import { day } from '../words/moment.ts'
import { roleName } from '../words/role-name.ts'
import { Monogram } from './Monogram.tsx'

export function InvitationSummary({ invitation }: { invitation: Invitation }) {
  return (
    <div className="summary">
      <Monogram name={invitation.organizationName} />
      <div>
        <p>
          <strong>{invitation.inviterName}</strong> invited you to join <strong>{invitation.organizationName}</strong>{' '}
          as {roleName(invitation.role)}.
        </p>
        <p className="soft">Good until {day(new Date(invitation.expiresAt))}</p>
      </div>
    </div>
  )
}
