import { useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { authentication } from '../shared/api/authentication.ts'
import { useCaller } from '../shared/api/caller.ts'
import type { Caller } from '../shared/api/queries.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { duration } from '../shared/format/duration.ts'
import type { Handover } from '../shared/routing/handover.ts'

const TICK_MILLISECONDS = 15_000

/** On every page of the frame while staff impersonate a user. */
export function ImpersonationBar() {
  const { user, session } = useCaller()
  return session.impersonatedBy && <Impersonation user={user} session={session} />
}

function Impersonation({ user, session }: Caller) {
  // The schema of a session lacks the properties that only some sessions have.
  const { impersonationReason: reason } = session as typeof session & { impersonationReason?: string }
  const secondsLeft = useSecondsUntil(new Date(session.expiresAt))
  const [, navigate] = useLocation()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => authentication.admin.stopImpersonating(),
    onSuccess: () => {
      forgetSession()
      navigate(`/staff/users/${user.id}`)
    },
  })
  const isOver = secondsLeft === 0

  const leaveIfEnded = useEffectEvent(async () => {
    // The clock of the browser may be ahead, and the request may fail: then the next request finds the end.
    if ((await authentication.getSession().catch(() => undefined)) !== null) return
    forgetSession()
    const expired = `The impersonation of ${user.name} has ended. Sign in as yourself to go on.`
    navigate<Handover>('/sign-in', { replace: true, state: { expired, returnTo: `/staff/users/${user.id}` } })
  })
  useEffect(() => {
    if (isOver) void leaveIfEnded()
  }, [isOver])

  return (
    <section className="impersonation-bar" aria-label="Impersonation">
      <p>
        You are impersonating <strong>{user.name}</strong>
        {reason && ` (${reason})`}, {isOver ? 'which ends now' : `${duration(secondsLeft)} left`}. The user can see this
        later.
      </p>
      <ActionButton kind="quiet" isPending={isPending} pendingLabel="Stopping…" onPress={() => mutate()}>
        Stop
      </ActionButton>
      {error && <FailureNotice error={error} />}
    </section>
  )
}

function useSecondsUntil(end: Date): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), TICK_MILLISECONDS)
    return () => clearInterval(tick)
  }, [])
  return Math.max(0, Math.ceil((end.getTime() - now) / 1000))
}
