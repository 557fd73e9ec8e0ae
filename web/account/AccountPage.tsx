import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Redirect } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import { type Caller, sessionQuery } from '../shared/api/queries.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Heading } from '../shared/components/Heading.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import type { Handover } from '../shared/routing/handover.ts'
import { AccountHeader } from './AccountHeader.tsx'

type AccountPageProps = { heading: string; children: (visitor: Caller) => ReactNode }

/** The frame of a page about the visitor's own account. Whoever isn't signed in goes to sign in and comes back. */
export function AccountPage({ heading, children }: AccountPageProps) {
  const { data: visitor, error, isPending, refetch } = useQuery(sessionQuery)
  const path = usePathname()

  if (visitor === null) return <Redirect to="/sign-in" replace state={{ returnTo: path } satisfies Handover} />
  return (
    <div className="page page-wide">
      <AccountHeader isSignedIn={visitor !== undefined} />
      <main>
        <Heading>{heading}</Heading>
        {isPending && <Loading />}
        {error && !visitor && <FailureNotice error={error} retry={refetch} />}
        {visitor && children(visitor)}
      </main>
    </div>
  )
}
