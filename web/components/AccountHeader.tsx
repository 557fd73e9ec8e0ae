import { Link } from '../routing/Link.tsx'
import { nextOrigin } from '../routing/next-origin.ts'
import { SignOutButton } from './SignOutButton.tsx'
import { Wordmark } from './Wordmark.tsx'

export function AccountHeader({ isSignedIn }: { isSignedIn: boolean }) {
  const next = nextOrigin()
  return (
    <header className="account-header">
      <Wordmark />
      <nav aria-label="Account">
        {next && <a href={next}>Back to {new URL(next).host}</a>}
        <Link to="/account">Overview</Link>
        <Link to="/account/security">Security</Link>
      </nav>
      {isSignedIn && <SignOutButton />}
    </header>
  )
}
