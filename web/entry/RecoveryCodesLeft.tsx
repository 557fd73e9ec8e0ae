import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { invitationQuery } from '../invitations/queries.ts'
import { Page } from '../shared/components/Page.tsx'
import { leaveSignIn } from './leave-sign-in.ts'

const FEW = 3

/** After a sign-in with a recovery code, once. */
export function RecoveryCodesLeft({ count }: { count: number }) {
  const [, navigate] = useLocation()
  const { data: invitation } = useQuery(invitationQuery)
  return (
    <Page heading="You are signed in" lead={sentence(count)}>
      <button type="button" className="button button-main" onClick={() => leaveSignIn(navigate, Boolean(invitation))}>
        Go on
      </button>
      {count <= FEW && (
        <Link className="button button-quiet" href="/account/security#two-step" replace>
          Make new recovery codes
        </Link>
      )}
    </Page>
  )
}

function sentence(count: number): string {
  if (count === 0)
    return 'That was your last recovery code. Make new ones now: without them, a lost phone locks you out.'
  return `The recovery code is used up. You have ${count} left.`
}
