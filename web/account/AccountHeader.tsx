import { SignOutButton } from '../shared/components/SignOutButton.tsx'
import { Wordmark } from '../shared/components/Wordmark.tsx'
import { Link } from '../shared/routing/Link.tsx'
import { nextOrigin } from '../shared/routing/next-origin.ts'

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
