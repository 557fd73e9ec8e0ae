import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type SignedIn, sessionQuery } from '../api/queries.ts'
import { usePath } from '../routing/navigation.ts'
import { Redirect } from '../routing/Redirect.tsx'
import { AccountHeader } from './AccountHeader.tsx'
import { FailureNotice } from './FailureNotice.tsx'
import { Heading } from './Heading.tsx'
import { Loading } from './Loading.tsx'

type AccountPageProps = { heading: string; children: (visitor: SignedIn) => ReactNode }

/** The frame of a page about the visitor's own account. Whoever isn't signed in goes to sign in and comes back. */
export function AccountPage({ heading, children }: AccountPageProps) {
  const { data: visitor, error, isPending, refetch } = useQuery(sessionQuery)
  const path = usePath()

  if (visitor === null) return <Redirect to="/sign-in" returnTo={path} />
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
