import { type RefObject, useRef, useState } from 'react'
import { signInWithPasskey } from '../shared/api/passkey-sign-in.ts'
import { stepUp } from '../shared/api/questions.ts'
import { sessionOfPage } from '../shared/api/session-of-page.ts'
import { type SecondStep, signInWithPassword } from '../shared/api/sign-in.ts'
import { tellOtherTabs } from '../shared/api/tabs.ts'
import { Modal } from '../shared/components/Modal.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { PasskeyButton } from '../shared/components/PasskeyButton.tsx'
import { REPEATABLE, type Sentences } from '../shared/format/failure-sentence.ts'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { KeepSignedIn } from '../shared/forms/KeepSignedIn.tsx'
import { UsernameOfPassword } from '../shared/forms/UsernameOfPassword.tsx'
import { SecondStepForm } from '../shared/two-step/SecondStepForm.tsx'

type SignInAgainDialogProps = { finish: (isDone: boolean) => void }

/**
 * Keeps the page and its typed text while the same user signs in again. The dialog hides the page, because the user may
 * have signed out in another tab and left.
 */
export function SignInAgainDialog({ finish }: SignInAgainDialogProps) {
  const email = sessionOfPage()?.user.email ?? ''
  const [step, setStep] = useState<SecondStep | null>(null)
  const [expired, setExpired] = useState('')
  const isKept = useRef(true)

  function backToPassword(reason: string) {
    setExpired(reason)
    setStep(null)
  }

  function goOn() {
    finish(true)
    // A session that has just started is fresh.
    stepUp.finish(true)
    tellOtherTabs()
  }

  return (
    <Modal heading="You have been signed out" isOpaque cancelLabel="Leave this page" onCancel={() => finish(false)}>
      <p className="lead">
        Sign in as <strong>{email}</strong> to go on. What you typed is still here.
      </p>
      {expired !== '' && step === null && <Notice kind="information">{expired}</Notice>}
      {step === null ? (
        <PasswordOf email={email} isKept={isKept} onDone={(next) => (next ? setStep(next) : goOn())} />
      ) : (
        <SecondStepForm email={email} step={step} submitLabel="Sign in" onDone={goOn} onExpired={backToPassword} />
      )}
      <PasskeyButton action={() => signInWithPasskey(isKept)} onDone={goOn} />
    </Modal>
  )
}

// The page shows the email address that the user had when the page was loaded. The response to a deletion may be lost.
const SENTENCES: Sentences = {
  ...REPEATABLE,
  INVALID_EMAIL_OR_PASSWORD:
    'That isn’t your password. If your email address has changed, leave this page and sign in with the new one. If you asked to delete your account, it may be deleted.',
}

type PasswordOfProps = {
  email: string
  isKept: RefObject<boolean>
  onDone: (secondStep: SecondStep | null) => void
}

function PasswordOf({ email, isKept, onDone }: PasswordOfProps) {
  return (
    <Form
      send={(value) => signInWithPassword({ email, password: value('password'), rememberMe: isKept.current })}
      onDone={onDone}
      submitLabel="Sign in"
      pendingLabel="Signing in…"
      sentences={SENTENCES}
    >
      <UsernameOfPassword email={email} />
      <CurrentPasswordField name="password" label="Your password" />
      <KeepSignedIn isKept={isKept} />
    </Form>
  )
}
