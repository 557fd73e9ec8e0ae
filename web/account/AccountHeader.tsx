import { Link } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import { SignOutButton } from '../shared/components/SignOutButton.tsx'
import { Wordmark } from '../shared/components/Wordmark.tsx'
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
        <HeaderLink path="/account">Overview</HeaderLink>
        <HeaderLink path="/account/security">Security</HeaderLink>
      </nav>
      {isSignedIn && <SignOutButton />}
    </header>
  )
}

function HeaderLink({ path, children }: { path: string; children: string }) {
  const isCurrent = usePathname() === path
  return (
    <Link href={path} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </Link>
  )
}
