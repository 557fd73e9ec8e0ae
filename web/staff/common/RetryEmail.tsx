import { useMutation } from '@tanstack/react-query'
import { refreshPages } from '../../shared/api/queries.ts'
import { ActionButton } from '../../shared/components/ActionButton.tsx'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import type { Email } from './EmailList.tsx'
import { OffButton } from './OffButton.tsx'
import { postStaffEndpoint } from './staff-endpoints.ts'
import { useIsAdministrator } from './use-is-administrator.ts'

/** For a failed email whose text is still stored. */
export function RetryEmail({ email: { id, recipient, canRetry } }: { email: Email }) {
  const isAdministrator = useIsAdministrator()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => postStaffEndpoint('retry-email', { emailId: id }),
    onSuccess: refreshPages,
  })
  if (!canRetry) return '–'
  if (!isAdministrator) return <OffButton label="Send again" reason="Only administrators send emails again." />
  return (
    <>
      <ActionButton kind="quiet" isPending={isPending} pendingLabel="Sending…" onPress={() => mutate()}>
        Send again<span className="visually-hidden"> to {recipient}</span>
      </ActionButton>
      {error && <FailureNotice error={error} />}
    </>
  )
}
