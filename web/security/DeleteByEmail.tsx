import { useMutation } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { DoneNotice } from '../shared/components/DoneNotice.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'

export function DeleteByEmail({ email }: { email: string }) {
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: () => authentication.deleteUser() })
  return (
    <>
      <DoneNotice>
        {isSuccess && `An email is on its way to ${email}. Its link deletes your account. It works for an hour.`}
      </DoneNotice>
      {!isSuccess && (
        <>
          <p className="soft">Without the password: we can email {email} a link that deletes your account.</p>
          {error && <FailureNotice error={error} />}
          <ActionButton kind="quiet" isPending={isPending} pendingLabel="Sending…" onPress={() => mutate()}>
            Send me the link
          </ActionButton>
        </>
      )}
    </>
  )
}
