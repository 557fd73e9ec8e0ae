import { authentication } from '../api/authentication.ts'
import { forgetVisitor } from '../api/queries.ts'
import { Link } from '../routing/Link.tsx'
import { leaveSignIn } from '../routing/leave-sign-in.ts'
import { CurrentPasswordField } from './CurrentPasswordField.tsx'
import { EmailField } from './EmailField.tsx'
import { EntryForm } from './EntryForm.tsx'
import { PasskeyButton } from './PasskeyButton.tsx'
import { usePasskeySuggestions } from './use-passkey-suggestions.ts'

type SignInFormProps = { email: string; hasInvitation: boolean }

/** By password, by a passkey that the browser suggests at the first field, or by one that it is told to ask for. */
export function SignInForm({ email, hasInvitation }: SignInFormProps) {
  function goOn() {
    forgetVisitor()
    leaveSignIn(hasInvitation)
  }

  usePasskeySuggestions(goOn)

  return (
    <>
      <EntryForm
        send={(value) =>
          authentication.signIn.email({
            email: value('email').trim(),
            password: value('password'),
            rememberMe: value('rememberMe') === 'on',
          })
        }
        onDone={goOn}
        submitLabel="Sign in"
        pendingLabel="Signing in…"
      >
        <EmailField defaultValue={email} autoComplete="username webauthn" />
        <CurrentPasswordField
          name="password"
          label="Password"
          aside={<Link to="/forgot-password">Forgot your password?</Link>}
        />
        <label className="checkbox">
          <input type="checkbox" name="rememberMe" defaultChecked />
          <span>Keep me signed in on this device</span>
        </label>
      </EntryForm>
      <PasskeyButton label="Use a passkey" onDone={goOn} />
    </>
  )
}
