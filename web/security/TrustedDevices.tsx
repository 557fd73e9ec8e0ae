import { useMutation, useQuery } from '@tanstack/react-query'
import { refreshPages } from '../shared/api/queries.ts'
import { revokeTrustedDevice, type TrustedDevice, trustedDevicesQuery } from '../shared/api/two-step.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { deviceName } from '../shared/format/device-name.ts'
import { day, moment } from '../shared/format/moment.ts'

/** Shown only with a trusted device: most users have none. */
export function TrustedDevices() {
  const { data: devices = [], error, refetch } = useQuery(trustedDevicesQuery)
  const failure = error && <FailureNotice error={error} retry={refetch} />
  if (devices.length === 0) return failure
  return (
    <section className="card" aria-labelledby="trusted-devices">
      <h2 id="trusted-devices">Trusted devices</h2>
      <p className="soft">They sign in with your password alone, without a code.</p>
      {failure}
      <ul className="rows">
        {devices.map((device) => (
          <TrustedDeviceRow key={device.id} device={device} />
        ))}
      </ul>
    </section>
  )
}

function TrustedDeviceRow({ device }: { device: TrustedDevice }) {
  const { id, userAgent, isCurrent, createdAt, expiresAt, lastUsedAt, ipAddress } = device
  const name = deviceName(userAgent)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => revokeTrustedDevice(id),
    onSettled: refreshPages,
  })
  return (
    <li className="row">
      <div className="row-text">
        <p>
          {name} {isCurrent && <span className="badge badge-good">This device</span>}
        </p>
        <p className="soft">
          <span>Trusted until {day(new Date(expiresAt))}.</span>{' '}
          <span>
            {lastUsedAt === null ? `Added ${moment(new Date(createdAt))}` : `Last used ${moment(new Date(lastUsedAt))}`}
          </span>{' '}
          {ipAddress && <span>from {ipAddress}</span>}
        </p>
        {error && <FailureNotice error={error} />}
      </div>
      <ActionButton kind="quiet" isPending={isPending} pendingLabel="One moment…" onPress={() => mutate()}>
        Stop trusting<span className="visually-hidden"> {name}</span>
      </ActionButton>
    </li>
  )
}
