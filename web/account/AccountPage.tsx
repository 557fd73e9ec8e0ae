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

type AccountPageProps = { heading: string; children: (caller: Caller) => ReactNode }

/** The frame of the account pages. A browser that is not signed in goes to sign in first, and returns. */
export function AccountPage({ heading, children }: AccountPageProps) {
  const { data: caller, error, isPending, refetch } = useQuery(sessionQuery)
  const path = usePathname()

  if (caller === null) return <Redirect to="/sign-in" replace state={{ returnTo: path } satisfies Handover} />
  return (
    <div className="page page-wide">
      <AccountHeader isSignedIn={caller !== undefined} />
      <main>
        <Heading>{heading}</Heading>
        {isPending && <Loading />}
        {error && !caller && <FailureNotice error={error} retry={refetch} />}
        {caller && children(caller)}
      </main>
    </div>
  )
}
