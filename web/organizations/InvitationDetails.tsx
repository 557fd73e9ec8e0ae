import { Notice } from '../shared/components/Notice.tsx'
import { findValue } from '../shared/format/find-value.ts'
import { INVITATION_EVENT_NAMES } from '../shared/format/invitation-names.ts'
import { isInviterMissing } from '../shared/format/is-inviter-missing.ts'
import { moment } from '../shared/format/moment.ts'
import { CorrectAddress } from './CorrectAddress.tsx'
import { isPending, lastEvent } from './describe-invitation.ts'
import { InvitationActions } from './InvitationActions.tsx'
import { OWNERS_CHANGE_INVITATION } from './obstacles.ts'
import type { Invitation } from './queries.ts'
import { mayGrantRole, type Role } from './roles.ts'

type InvitationDetailsProps = { invitation: Invitation; mayManage: boolean; granterRole: Role }

export function InvitationDetails({ invitation, mayManage, granterRole }: InvitationDetailsProps) {
  const isOpen = mayManage && isPending(invitation)
  const mayChange = isOpen && mayGrantRole(granterRole, invitation.role)
  return (
    <div>
      <Timeline invitation={invitation} />
      {isInviterMissing(invitation) && (
        <Notice kind="information">
          It can’t be accepted, because its inviter may no longer invite.
          {mayChange && ' Send it again: then you are its inviter.'}
        </Notice>
      )}
      {mayChange && lastEvent(invitation) === 'failed' && <CorrectAddress invitation={invitation} />}
      {isOpen && !mayChange && <p className="obstacle">{OWNERS_CHANGE_INVITATION}</p>}
      {mayChange && <InvitationActions invitation={invitation} />}
    </div>
  )
}

function Timeline({ invitation: { email, timeline } }: { invitation: Invitation }) {
  if (timeline.length === 0) return <p className="soft">This invitation was imported, and no email has been sent.</p>
  return (
    <ol className="invitation-timeline" aria-label={`What happened to the invitation of ${email}`}>
      {timeline.map(({ event, at, answer }) => (
        <li key={`${event} ${at}`}>
          <p>
            {findValue(INVITATION_EVENT_NAMES, event) ?? event} <span className="soft">{moment(new Date(at))}</span>
          </p>
          {answer !== null && <p className="reference">{answer}</p>}
        </li>
      ))}
    </ol>
  )
}
