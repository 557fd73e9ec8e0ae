import { type ReactNode, useId } from 'react'
import { useCaller } from '../../shared/api/caller.ts'
import { OffButton } from '../common/OffButton.tsx'
import { BanUser, UnbanUser } from './BanUser.tsx'
import { DeleteUser } from './DeleteUser.tsx'
import { Impersonate } from './Impersonate.tsx'
import {
  whyNotAdminister,
  whyNotBan,
  whyNotImpersonate,
  whyNotManage,
  whyNotResetTwoStep,
  whyNotSendLink,
} from './off-reasons.ts'
import { PasswordLink } from './PasswordLink.tsx'
import type { StaffUser } from './queries.ts'
import { ResetTwoStep } from './ResetTwoStep.tsx'
import { RevokeSessions } from './RevokeSessions.tsx'
import { ServiceRole } from './ServiceRole.tsx'

/** What staff can do with a user. An action that the caller may not use is shown with the reason. */
export function UserActions({ user }: { user: StaffUser }) {
  const { user: staff } = useCaller()
  return (
    <section className="card" aria-labelledby="actions">
      <h2 id="actions">Actions</h2>
      <ul className="rows">
        <Action
          title="Link to choose a password"
          text="Emails the link of a forgotten password. The password stays until the user chooses another one."
          label="Send a password link"
          whyNot={whyNotSendLink(staff, user)}
        >
          <PasswordLink user={user} />
        </Action>
        <Action
          title="Two-step verification"
          text="For a user without phone and recovery codes. The user can set it up again after signing in."
          label="Reset two-step verification"
          whyNot={whyNotResetTwoStep(staff, user)}
        >
          <ResetTwoStep user={user} />
        </Action>
        <Action
          title="Sessions"
          text="Signs the user out on all devices. The user can sign in again."
          label="Sign out everywhere"
          whyNot={whyNotManage(staff, user)}
        >
          <RevokeSessions user={user} />
        </Action>
        <Action
          title="Ban"
          text={
            user.banned
              ? 'The user is banned. Lifting the ban lets the user sign in again.'
              : 'A banned user is signed out and can’t sign in.'
          }
          label={user.banned ? 'Lift the ban' : 'Ban…'}
          whyNot={whyNotBan(staff, user)}
        >
          {user.banned ? <UnbanUser user={user} /> : <BanUser user={user} />}
        </Action>
        <Action
          title="Impersonate"
          text="Shows the pages as the user sees them, for an hour at most. The user sees that it happened, not why."
          label="Impersonate…"
          whyNot={whyNotImpersonate(staff, user)}
        >
          <Impersonate user={user} />
        </Action>
        <Action
          title="Role in the service"
          text="Support and administrators see this console. Only administrators change it."
          label="Change the role"
          whyNot={whyNotAdminister(staff, user, 'change roles')}
        >
          <ServiceRole user={user} />
        </Action>
        <Action
          title="Delete"
          text="Deletes the account with its sessions, passkeys and memberships. It can’t be undone."
          label="Delete…"
          whyNot={whyNotAdminister(staff, user, 'delete users')}
        >
          <DeleteUser user={user} />
        </Action>
      </ul>
    </section>
  )
}

type ActionProps = { title: string; text: string; label: string; whyNot: string | undefined; children: ReactNode }

function Action({ title, text, label, whyNot, children }: ActionProps) {
  const id = useId()
  return (
    <li className="row" aria-labelledby={id}>
      <div className="row-text">
        <p id={id}>
          <strong>{title}</strong>
        </p>
        <p className="soft">{text}</p>
      </div>
      {whyNot === undefined ? children : <OffButton label={label} reason={whyNot} />}
    </li>
  )
}
