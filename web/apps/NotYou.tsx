import { Link } from 'wouter'
import { useImpersonatedName } from '../shared/api/impersonation.ts'
import { interactionId } from '../shared/routing/interaction-id.ts'

/** The link to sign in to the waiting app as another user. */
export function NotYou({ user }: { user: { email: string } }) {
  const isImpersonated = useImpersonatedName() !== null
  const query = new URLSearchParams({ interaction: interactionId() ?? '', prompt: 'select_account' })
  return (
    <>
      <p>
        {isImpersonated ? 'You are impersonating' : 'Signed in as'} {user.email}
      </p>
      <p>
        Not you? <Link href={`/sign-in?${query}`}>Use another account</Link>
      </p>
    </>
  )
}
