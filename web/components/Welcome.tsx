import { useEffect } from 'react'
import { Link } from '../routing/Link.tsx'
import { nextOrigin } from '../routing/next-origin.ts'
import { Page } from './Page.tsx'

/** A user who came from another service goes back there at once. */
export function Welcome({ organizationName }: { organizationName: string }) {
  const next = nextOrigin()

  useEffect(() => {
    if (next !== null) location.replace(next)
  }, [next])

  return (
    <Page heading={`Welcome to ${organizationName}`} lead="You have joined, and you are signed in.">
      {next === null ? (
        <Link to="/account" className="button button-main">
          Go to your account
        </Link>
      ) : (
        <a href={next} className="button button-main">
          Go on to {new URL(next).host}
        </a>
      )}
    </Page>
  )
}
