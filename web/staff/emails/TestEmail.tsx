import { useMutation } from '@tanstack/react-query'
import { refreshPages } from '../../shared/api/queries.ts'
import { ActionButton } from '../../shared/components/ActionButton.tsx'
import { DoneNotice } from '../../shared/components/DoneNotice.tsx'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { OffButton } from '../common/OffButton.tsx'
import { postStaffEndpoint } from '../common/staff-endpoints.ts'
import { useIsAdministrator } from '../common/use-is-administrator.ts'

const LABEL = 'Send a test email to me'

export function TestEmail() {
  const isAdministrator = useIsAdministrator()
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => postStaffEndpoint<{ recipient: string }>('send-test-email', {}),
    onSuccess: refreshPages,
  })
  if (!isAdministrator) return <OffButton label={LABEL} reason="Only administrators send test emails." />
  return (
    <div className="action-with-result">
      <ActionButton kind="quiet" isPending={isPending} pendingLabel="Sending…" onPress={() => mutate()}>
        {LABEL}
      </ActionButton>
      {error && <FailureNotice error={error} />}
      <DoneNotice>
        {data && !isPending && !error && `A test email to ${data.recipient} is in the list, with what happens to it.`}
      </DoneNotice>
    </div>
  )
}
