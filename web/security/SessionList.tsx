import { useMutation, useQuery } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { refreshPages } from '../shared/api/queries.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { DeviceRow } from './DeviceRow.tsx'
import { groupByDevice } from './group-by-device.ts'
import { sessionsQuery } from './queries.ts'

export function SessionList({ currentId }: { currentId: string }) {
  const { data: sessions, error, isPending, refetch } = useQuery(sessionsQuery)
  const signOutOthers = useMutation({
    mutationFn: () => authentication.revokeOtherSessions(),
    onSuccess: refreshPages,
  })
  const devices = groupByDevice(sessions ?? [], currentId)

  return (
    <section className="card" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      {isPending && <Skeleton lines={2} />}
      {error && <FailureNotice error={error} retry={refetch} />}
      <ul className="rows">
        {devices.map((device) => (
          <DeviceRow key={device.isCurrent ? 'current' : device.name} device={device} />
        ))}
      </ul>
      {signOutOthers.error && <FailureNotice error={signOutOthers.error} />}
      {devices.length > 1 && (
        <ActionButton
          kind="quiet"
          isPending={signOutOthers.isPending}
          pendingLabel="Signing out…"
          onPress={() => signOutOthers.mutate()}
        >
          Sign out everywhere else
        </ActionButton>
      )}
    </section>
  )
}
