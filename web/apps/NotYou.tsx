import { Link } from 'wouter'
import { interactionId } from '../shared/routing/interaction.ts'

/** The way to sign in as another user, for the app that waits. */
export function NotYou({ user }: { user: { email: string } }) {
  const query = new URLSearchParams({ interaction: interactionId() ?? '', prompt: 'select_account' })
  return (
    <>
      <p>Signed in as {user.email}</p>
      <p>
        Not you? <Link href={`/sign-in?${query}`}>Use another account</Link>
      </p>
    </>
  )
}
