import { useEffect } from 'react'
import { Link } from 'wouter'
import { Page } from '../shared/components/Page.tsx'
import { ServiceTiles } from '../shared/components/ServiceTiles.tsx'
import { nextOrigin } from '../shared/routing/next-origin.ts'

/** A user who came from another service returns there immediately. */
export function Welcome({ organizationName }: { organizationName: string }) {
  const next = nextOrigin()

  useEffect(() => {
    if (next !== null) location.replace(next)
  }, [next])

  return (
    <Page heading={`Welcome to ${organizationName}`} lead="You have joined, and you are signed in.">
      {next === null ? (
        <>
          <ServiceTiles />
          <Link href="/account" className="button button-main">
            Go to your account
          </Link>
        </>
      ) : (
        <a href={next} className="button button-main">
          Go on to {new URL(next).host}
        </a>
      )}
    </Page>
  )
}
