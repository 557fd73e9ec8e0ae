import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { authentication } from '../shared/api/authentication.ts'
import { useCaller } from '../shared/api/caller.ts'
import { type Caller, queryClient, sessionQuery } from '../shared/api/queries.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { duration } from '../shared/format/duration.ts'

const TICK_MILLISECONDS = 15_000

/** On every page of the frame while staff impersonate a user. */
export function ImpersonationBar() {
  const { user, session } = useCaller()
  return session.impersonatedBy && <Impersonation user={user} session={session} />
}

function Impersonation({ user, session }: Caller) {
  // The schema of a session lacks the properties that only some sessions have.
  const { impersonationReason: reason } = session as typeof session & { impersonationReason?: string }
  const end = new Date(session.expiresAt).getTime()
  const now = useNow()
  const secondsLeft = Math.max(0, Math.ceil((end - now) / 1000))
  const [, navigate] = useLocation()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => authentication.admin.stopImpersonating(),
    onSuccess: () => {
      forgetSession()
      navigate(`/staff/users/${user.id}`)
    },
  })

  // The clock of the browser may be ahead, and a request may fail, so each tick after the end asks again.
  useEffect(() => {
    if (now >= end) void queryClient.invalidateQueries(sessionQuery)
  }, [now, end])

  return (
    <section className="impersonation-bar" aria-label="Impersonation">
      <p>
        You are impersonating <strong>{user.name}</strong>
        {reason && (
          <>
            {' '}
            (<bdi>{reason}</bdi>)
          </>
        )}
        , {secondsLeft === 0 ? 'which ends now' : `${duration(secondsLeft)} left`}. The user can see this later.
      </p>
      <ActionButton kind="quiet" isPending={isPending} pendingLabel="Stopping…" onPress={() => mutate()}>
        Stop
      </ActionButton>
      {error && <FailureNotice error={error} />}
    </section>
  )
}

/** In epoch milliseconds, with a new value for each tick. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), TICK_MILLISECONDS)
    return () => clearInterval(tick)
  }, [])
  return now
}
