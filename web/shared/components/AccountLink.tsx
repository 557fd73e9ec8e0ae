import { Link } from 'wouter'

/** The way out of a page with nothing more to do. */
export function AccountLink({ kind = 'main' }: { kind?: 'main' | 'quiet' }) {
  return (
    <Link href="/account" className={`button button-${kind}`}>
      Go to your account
    </Link>
  )
}
