import { Link } from '../routing/Link.tsx'
import { nextOrigin } from '../routing/next-origin.ts'
import { SignOutButton } from './SignOutButton.tsx'
import { Wordmark } from './Wordmark.tsx'

export function AccountHeader({ isSignedIn }: { isSignedIn: boolean }) {
  const next = nextOrigin()
  return (
    <header className="account-header">
      {next && (
        <a className="back" href={next}>
          Back to {new URL(next).host}
        </a>
      )}
      <Wordmark />
      <nav aria-label="Account">
        <Link to="/account">Overview</Link>
        <Link to="/account/security">Security</Link>
      </nav>
      {isSignedIn && <SignOutButton />}
    </header>
  )
}
