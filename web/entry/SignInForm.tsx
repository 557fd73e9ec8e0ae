import { useLocation } from 'wouter'
import { type SecondStep, signInWithPassword } from '../shared/api/sign-in.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { PasskeyButton } from '../shared/components/PasskeyButton.tsx'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { type Handover, handover } from '../shared/routing/handover.ts'
import { ForgotPasswordLink } from './ForgotPasswordLink.tsx'
import { usePasskeySuggestions } from './use-passkey-suggestions.ts'

type SignInFormProps = { email: string; onSignedIn: () => void }

/** Signs in by password, by a passkey that the browser suggests at the first field, or by the passkey button. */
export function SignInForm({ email, onSignedIn }: SignInFormProps) {
  const [, navigate] = useLocation()

  function goOn() {
    forgetSession()
    onSignedIn()
  }

  function askForCode(address: string, secondStep: SecondStep) {
    const { notice: _seen, expired: _read, ...others } = handover()
    navigate<Handover>('/sign-in', { replace: true, state: { ...others, email: address, secondStep } })
  }

  usePasskeySuggestions(goOn)

  return (
    <>
      <Form
        send={async (value) => {
          const address = value('email').trim()
          const rememberMe = value('rememberMe') === 'on'
          const secondStep = await signInWithPassword({ email: address, password: value('password'), rememberMe })
          return { address, secondStep }
        }}
        onDone={({ address, secondStep }) => (secondStep ? askForCode(address, secondStep) : goOn())}
        submitLabel="Sign in"
        pendingLabel="Signing in…"
      >
        <EmailField defaultValue={email} autoComplete="username webauthn" />
        <CurrentPasswordField name="password" label="Password" aside={<ForgotPasswordLink />} />
        <label className="checkbox">
          <input type="checkbox" name="rememberMe" defaultChecked />
          <span>Keep me signed in on this device</span>
        </label>
      </Form>
      <PasskeyButton label="Use a passkey" onDone={goOn} />
    </>
  )
}
