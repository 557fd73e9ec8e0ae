import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, sessionQuery } from '../shared/api/queries.ts'
import { RequestFailed } from '../shared/api/request-failed.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Page } from '../shared/components/Page.tsx'
import { verifyEmail } from './endpoints.ts'
import { LinkPage } from './LinkPage.tsx'

const HEADING = 'Verify your email address'
const VERIFIED = {
  heading: 'Email address verified',
  lead: 'Thank you. Your email address is verified.',
  next: { label: 'Go to your account', path: '/account' },
}

const RECOVERED = {
  heading: 'Email address verified',
  lead: 'Thank you. We’ve sent you an email with a link to choose a new password.',
  next: { label: 'Go to sign in', path: '/sign-in' },
}

export function VerifyEmail() {
  const { data, error, refetch } = useQuery(sessionQuery)
  const [session, setSession] = useState(data)
  const [isRecovered, setRecovered] = useState(false)

  // A link that was used makes the pages forget the session, and ask for it again.
  if (data !== undefined && data !== session) setSession(data)
  // The button must not come before the warning.
  if (session === undefined) {
    return <Page heading={HEADING}>{error ? <FailureNotice error={error} retry={refetch} /> : <Loading />}</Page>
  }
  return (
    <LinkPage
      heading={HEADING}
      lead={({ email }) => (
        <>
          Press the button, and we know that the mailbox of <strong>{email}</strong> is yours.
          {session?.user.email !== email && (
            <>
              {' '}
              You are not signed in here with this address. A stranger may have set up the account, so its password,
              passkeys and two-step verification stop working and it is signed out on all devices. We’ll email you a
              link to choose a new password. To keep them, sign in first and open the link again.
            </>
          )}
        </>
      )}
      action={async (token) => {
        if (session) await assertSignedInAs(session.user.id)
        setRecovered((await verifyEmail(token)).passwordLinkSent)
      }}
      label="Verify address"
      pendingLabel="Verifying…"
      remedy="If your address isn’t verified yet, sign in and ask for a new email."
      done={isRecovered ? RECOVERED : VERIFIED}
    />
  )
}

/** The page has said that the credentials stay. Without the session, which may have ended since, they are deleted. */
async function assertSignedInAs(userId: string): Promise<void> {
  const caller = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  if (caller?.user.id !== userId) throw new RequestFailed({ status: 401, code: 'UNAUTHORIZED', message: '' })
}
