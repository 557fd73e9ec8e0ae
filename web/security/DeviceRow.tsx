import { useMutation } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { refreshPages } from '../shared/api/queries.ts'
import { hasCode } from '../shared/api/request-failed.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { moment } from '../shared/format/moment.ts'
import type { Device } from './group-by-device.ts'

const ADDRESSES_MAXIMUM = 3

/** The sessions of one browser and system, with one button that revokes them all. */
export function DeviceRow({ device }: { device: Device }) {
  const { name, sessions, isCurrent, lastUsedAt } = device
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      for (const { token } of sessions) await revoke(token)
    },
    onSettled: refreshPages,
  })

  return (
    <li className="row">
      <div className="row-text">
        <p>
          {name}
          {sessions.length > 1 && `, ${sessions.length} sessions`}{' '}
          {isCurrent && <span className="badge badge-good">This device</span>}
        </p>
        <p className="soft">
          <span>{isCurrent ? 'In use now' : `Last used ${moment(new Date(lastUsedAt))}`}</span>{' '}
          <span>{addresses(device)}</span>
        </p>
        {error && <FailureNotice error={error} />}
      </div>
      {!isCurrent && (
        <ActionButton kind="quiet" isPending={isPending} pendingLabel="Signing out…" onPress={() => mutate()}>
          Sign out<span className="visually-hidden"> {name}</span>
        </ActionButton>
      )}
    </li>
  )
}

/** A session that has ended by itself or in another tab must not stop the sign-out of the others. */
async function revoke(token: string): Promise<void> {
  try {
    await authentication.revokeSession({ token })
  } catch (error) {
    if (!hasCode(error, 'SESSION_NOT_FOUND')) throw error
  }
}

function addresses({ sessions }: Device): string {
  const all = [...new Set(sessions.flatMap(({ ipAddress }) => ipAddress ?? []))]
  if (all.length === 0) return ''
  const more = all.length - ADDRESSES_MAXIMUM
  return `from ${all.slice(0, ADDRESSES_MAXIMUM).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
