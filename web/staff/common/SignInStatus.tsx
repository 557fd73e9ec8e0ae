import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import { Link } from 'wouter'
import type { SignInStatusResponse } from '../../../server/features/staff/sign-in-status/schemas.ts'
import { formatTime } from '../../../server/platform/time/format-time.ts'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { Skeleton } from '../../shared/components/Skeleton.tsx'
import { dayAndTime, moment } from '../../shared/format/moment.ts'
import { getStaffEndpoint } from './staff-endpoints.ts'

type Status = Static<typeof SignInStatusResponse>

export const signInStatusQuery = (query: { email: string } | { userId: string }) =>
  queryOptions({
    queryKey: ['staff', 'get-sign-in-status', query],
    queryFn: () => getStaffEndpoint<Status>('get-sign-in-status', query),
  })

/** Whether a user can sign in, and why not, in sentences that support read to the user. */
export function SignInStatus({ query }: { query: { email: string } | { userId: string } }) {
  const { data, error, refetch } = useQuery(signInStatusQuery(query))
  const failure = error && <FailureNotice error={error} retry={refetch} />
  if (data === undefined) return failure ?? <Skeleton lines={3} />
  const { user, email, canSignIn, reasons } = data
  const who = user?.name ?? email
  return (
    <section
      className={`card sign-in-status ${canSignIn ? '' : 'sign-in-status-bad'}`}
      aria-labelledby="sign-in-status"
    >
      <h2 id="sign-in-status">{canSignIn ? `${who} can sign in` : `${who} can’t sign in`}</h2>
      {failure}
      {reasons.length > 0 && (
        <ul className="reasons">
          {reasons.map((reason) => (
            <li key={reason.code}>
              {inLocalTime(reason)} <Remedy code={reason.code} email={email} />
            </li>
          ))}
        </ul>
      )}
      <LastTries status={data} />
      {user && 'email' in query && <Link href={`/staff/users/${user.id}`}>Open {user.name}</Link>}
    </section>
  )
}

/** The service knows no time zone of its reader, and writes times in UTC. */
function inLocalTime({ message, since, until }: Status['reasons'][number]): string {
  const times = [since, until].flatMap((time) => (time === undefined ? [] : [new Date(time)]))
  return times.reduce((text, time) => text.replace(formatTime(time.getTime()), dayAndTime(time)), message)
}

function Remedy({ code, email }: { code: Status['reasons'][number]['code']; email: string }) {
  const address = encodeURIComponent(email)
  if (code === 'EMAIL_FAILED') return <Link href={`/staff/emails?recipient=${address}`}>Emails to this address</Link>
  if (code === 'TOO_MANY_GUESSES') return <Link href="/staff/system">Used limits</Link>
  if (code !== 'INVITATION_OPEN') return null
  return <Link href={`/staff/invitations?email=${address}`}>Invitations to this address</Link>
}

function LastTries({ status: { user, lastSignInAt, lastFailureAt } }: { status: Status }) {
  if (user === null) return null
  return (
    <p className="soft">
      Last sign-in: {lastSignInAt ? moment(new Date(lastSignInAt)) : 'never'}. Last failed sign-in:{' '}
      {lastFailureAt ? moment(new Date(lastFailureAt)) : 'none'}.
    </p>
  )
}
