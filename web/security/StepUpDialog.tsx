import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { passkeysQuery } from '../shared/api/passkeys.ts'
import { refreshPages, sessionQuery } from '../shared/api/queries.ts'
import { request } from '../shared/api/request.ts'
import { type TwoStepStatus, twoStepQuery } from '../shared/api/two-step.ts'
import { useFirstLoad } from '../shared/api/use-first-load.ts'
import { Modal } from '../shared/components/Modal.tsx'
import { VerifyPasskeyButton } from '../shared/components/VerifyPasskeyButton.tsx'
import { REPEATABLE } from '../shared/format/failure-sentence.ts'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { UsernameOfPassword } from '../shared/forms/UsernameOfPassword.tsx'
import { SecondStepForm } from '../shared/two-step/SecondStepForm.tsx'

type Finish = (isFresh: boolean) => void

/** The dialog opens with its content, because the first field takes the focus. */
export function StepUpDialog({ finish }: { finish: Finish }) {
  const { data: status, isPending } = useQuery(twoStepQuery)
  const isLoading = useFirstLoad([useQuery(passkeysQuery)])
  const hasField = status?.enabled || status?.hasPassword
  return isPending || (isLoading && !hasField) ? null : <Dialog finish={finish} status={status} />
}

type DialogProps = { finish: Finish; status: TwoStepStatus | undefined }

function Dialog({ finish, status }: DialogProps) {
  const { data: caller } = useQuery(sessionQuery)

  useEffect(() => {
    if (caller === null) finish(false)
  }, [caller, finish])

  return (
    <Modal heading="Is it still you?" cancelLabel="Cancel" onCancel={() => finish(false)}>
      <p className="lead">You signed in a while ago. Before we go on, please verify that it is you.</p>
      <Credentials email={caller?.user.email ?? ''} finish={finish} status={status} />
    </Modal>
  )
}

/** With two-step verification, the user enters a code: the password alone does not make the session fresh. */
function Credentials({ email, finish, status }: DialogProps & { email: string }) {
  const method = status?.enabled ? status.method : null
  const hasPassword = status?.hasPassword ?? true

  function goOn() {
    // The session has a new token, and the queries contain the old one.
    refreshPages()
    finish(true)
  }

  return (
    <>
      {method && (
        <SecondStepForm email={email} step={{ method, isCodeSent: false }} submitLabel="Go on" onDone={goOn} />
      )}
      {!method && hasPassword && (
        <Form
          send={(value) => request('/api/auth/verify-password', { password: value('currentPassword') })}
          onDone={goOn}
          submitLabel="Go on"
          pendingLabel="Checking…"
          sentences={REPEATABLE}
        >
          <UsernameOfPassword email={email} />
          <CurrentPasswordField name="currentPassword" label="Your password" />
        </Form>
      )}
      <VerifyPasskeyButton kind={method || hasPassword ? 'quiet' : 'main'} onDone={goOn} />
    </>
  )
}
