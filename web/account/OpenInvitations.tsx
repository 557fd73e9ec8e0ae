import { useReceivedInvitations } from '../shared/api/use-received-invitations.ts'
import { InvitationButtons } from '../shared/components/InvitationButtons.tsx'
import { Monogram } from '../shared/components/Monogram.tsx'
import { day } from '../shared/format/moment.ts'
import { roleWithArticle } from '../shared/format/role-with-article.ts'

export function OpenInvitations() {
  const invitations = useReceivedInvitations()
  if (invitations.length === 0) return null
  return (
    <section className="card" aria-labelledby="invitations">
      <h2 id="invitations">{invitations.length === 1 ? 'You are invited' : 'You have invitations'}</h2>
      <ul className="rows">
        {invitations.map((invitation) => (
          <li key={invitation.id} className="row">
            <Monogram name={invitation.organizationName} />
            <div className="row-text">
              <p>
                Join <strong>{invitation.organizationName}</strong> as {roleWithArticle(invitation.role)}
              </p>
              <p className="soft">Expires on {day(new Date(invitation.expiresAt))}</p>
            </div>
            <InvitationButtons invitation={invitation} />
          </li>
        ))}
      </ul>
    </section>
  )
}
