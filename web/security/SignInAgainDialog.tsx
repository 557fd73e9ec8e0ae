import { useState } from 'react'
import { sessionOfPage } from '../shared/api/session-of-page.ts'
import { type SecondStep, signInWithPassword } from '../shared/api/sign-in.ts'
import { Modal } from '../shared/components/Modal.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { PasskeyButton } from '../shared/components/PasskeyButton.tsx'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { SecondStepForm } from '../shared/two-step/SecondStepForm.tsx'

type SignInAgainDialogProps = { finish: (isDone: boolean) => void }

/**
 * Leaves the page and its typed text in place while the same user signs in again. The dialog hides the page, because the
 * user may have signed out in another tab and left.
 */
export function SignInAgainDialog({ finish }: SignInAgainDialogProps) {
  const email = sessionOfPage()?.user.email ?? ''
  const [step, setStep] = useState<SecondStep | null>(null)
  const [expired, setExpired] = useState('')

  function backToPassword(reason: string) {
    setExpired(reason)
    setStep(null)
  }

  function goOn(secondStep: SecondStep | null) {
    if (secondStep === null) finish(true)
    else setStep(secondStep)
  }

  return (
    <Modal heading="You have been signed out" isOpaque onCancel={() => finish(false)}>
      <p className="lead">
        Sign in as <strong>{email}</strong> to go on. What you typed is still here.
      </p>
      {expired !== '' && step === null && <Notice kind="information">{expired}</Notice>}
      {step === null ? (
        <PasswordOf email={email} onDone={goOn} />
      ) : (
        <SecondStepForm
          email={email}
          step={step}
          submitLabel="Sign in"
          onDone={() => finish(true)}
          onExpired={backToPassword}
        />
      )}
      <PasskeyButton label="Use a passkey" onDone={() => finish(true)} />
      <button type="button" className="button button-quiet" onClick={() => finish(false)}>
        Leave this page
      </button>
    </Modal>
  )
}

function PasswordOf({ email, onDone }: { email: string; onDone: (secondStep: SecondStep | null) => void }) {
  return (
    <Form
      send={(value) => signInWithPassword({ email, password: value('password') })}
      onDone={onDone}
      submitLabel="Sign in"
      pendingLabel="Signing in…"
    >
      {/* Password managers need the account of the password. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <CurrentPasswordField name="password" label="Your password" />
    </Form>
  )
}
