import { Monogram } from '../shared/components/Monogram.tsx'
import { day } from '../shared/format/moment.ts'
import { roleWithArticle } from '../shared/format/role-with-article.ts'
import type { Invitation } from './queries.ts'

export function InvitationSummary({ invitation }: { invitation: Invitation }) {
  return (
    <div className="summary">
      <Monogram name={invitation.organizationName} image={invitation.organizationLogo} />
      <div>
        <p>
          <strong>{invitation.inviterName ?? 'A user'}</strong> invited you to join{' '}
          <strong>{invitation.organizationName}</strong> as {roleWithArticle(invitation.role)}.
        </p>
        {invitation.inviterEmail && <p className="soft">Sent by {invitation.inviterEmail}</p>}
        <p className="soft">Expires on {day(new Date(invitation.expiresAt))}</p>
      </div>
    </div>
  )
}
