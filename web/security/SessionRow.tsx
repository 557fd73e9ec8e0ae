import { useMutation } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { moment } from '../shared/format/moment.ts'
import { deviceName } from './device-name.ts'
import { sessionsQuery } from './queries.ts'

type Session = Awaited<ReturnType<typeof authentication.listSessions>>[number]

type SessionRowProps = { session: Session; isCurrent: boolean }

export function SessionRow({ session, isCurrent }: SessionRowProps) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => authentication.revokeSession({ token: session.token }),
    onSuccess: () => queryClient.invalidateQueries(sessionsQuery),
  })
  const device = deviceName(session.userAgent)

  return (
    <li className="row">
      <div className="row-text">
        <p>
          {device} {isCurrent && <span className="badge badge-good">This device</span>}
        </p>
        <p className="soft">
          <span>Signed in {moment(session.createdAt)}</span>{' '}
          {session.ipAddress && <span>from {session.ipAddress}</span>}
        </p>
        {error && <FailureNotice error={error} />}
      </div>
      {!isCurrent && (
        <ActionButton kind="quiet" isPending={isPending} pendingLabel="Signing out…" onPress={() => mutate()}>
          Sign out<span className="visually-hidden"> {device}</span>
        </ActionButton>
      )}
    </li>
  )
}
