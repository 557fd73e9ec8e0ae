import { Link } from 'wouter'
import { Page } from '../shared/components/Page.tsx'
import { SignOutButton } from '../shared/components/SignOutButton.tsx'
import { InvitationSummary } from './InvitationSummary.tsx'
import type { Invitation } from './queries.ts'

type InvitationForAnotherProps = { invitation: Invitation; user: { email: string } }

export function InvitationForAnother({ invitation, user }: InvitationForAnotherProps) {
  return (
    <Page
      heading="This invitation is for another address"
      lead={
        <>
          It was sent to <strong>{invitation.email}</strong>, but you are signed in as <strong>{user.email}</strong>.
        </>
      }
    >
      <InvitationSummary invitation={invitation} />
      <div className="actions">
        <SignOutButton kind="main" label="Sign out and continue" destination="/sign-up" />
        <Link href="/account" className="button button-quiet">
          Stay signed in
        </Link>
      </div>
    </Page>
  )
}
