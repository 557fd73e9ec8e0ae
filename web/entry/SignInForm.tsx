import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { signInWithPasskey } from '../shared/api/passkey-sign-in.ts'
import { type SecondStep, signInWithPassword } from '../shared/api/sign-in.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { PasskeyButton } from '../shared/components/PasskeyButton.tsx'
import { REPEATABLE } from '../shared/format/failure-sentence.ts'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { KeepSignedIn } from '../shared/forms/KeepSignedIn.tsx'
import { addToPageState, type PageState, pageState } from '../shared/routing/page-state.ts'
import { ForgotPasswordLink } from './ForgotPasswordLink.tsx'
import { usePasskeySuggestions } from './use-passkey-suggestions.ts'

type SignInFormProps = { email: string; onSignedIn: () => void }

/** Signs in by password, by a passkey that the browser suggests at the first field, or by the passkey button. */
export function SignInForm({ email, onSignedIn }: SignInFormProps) {
  const [, navigate] = useLocation()
  const isKept = useRef(pageState().isKept ?? true)
  const [hasDialog, setHasDialog] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()

  function goOn() {
    forgetSession()
    onSignedIn()
  }

  function askForCode(address: string, secondStep: SecondStep) {
    // The right password has taken the session from the browser.
    forgetSession()
    const { notice: _seen, expired: _read, isTrusted = false, ...others } = pageState()
    // Another user of this browser has not chosen to trust it.
    const state = { ...others, isTrusted: isTrusted && others.email === address, email: address, secondStep }
    navigate<PageState>('/sign-in', { replace: true, state })
  }

  usePasskeySuggestions({
    isPaused: hasDialog,
    isKept,
    onSignedIn: goOn,
    onFailed: setRefusal,
  })

  async function askForPasskey() {
    setRefusal(undefined)
    setHasDialog(true)
    try {
      await signInWithPasskey(isKept)
    } catch (error) {
      setHasDialog(false)
      throw error
    }
  }

  return (
    <>
      {refusal !== undefined && <FailureNotice error={refusal} sentences={REPEATABLE} />}
      <Form
        send={async (value) => {
          setRefusal(undefined)
          const address = value('email').trim()
          const rememberMe = isKept.current
          const secondStep = await signInWithPassword({ email: address, password: value('password'), rememberMe })
          return { address, secondStep }
        }}
        onDone={({ address, secondStep }) => (secondStep ? askForCode(address, secondStep) : goOn())}
        submitLabel="Sign in"
        pendingLabel="Signing in…"
        sentences={REPEATABLE}
      >
        <EmailField defaultValue={email} autoComplete="username webauthn" />
        <CurrentPasswordField name="password" label="Password" aside={<ForgotPasswordLink />} />
        <KeepSignedIn isKept={isKept} onChange={(isChecked) => addToPageState({ isKept: isChecked })} />
      </Form>
      <PasskeyButton action={askForPasskey} onDone={goOn} />
    </>
  )
}
