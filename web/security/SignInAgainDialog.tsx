import { authentication } from '../shared/api/authentication.ts'
import { sessionOfPage } from '../shared/api/session-of-page.ts'
import { Modal } from '../shared/components/Modal.tsx'
import { PasskeyButton } from '../shared/components/PasskeyButton.tsx'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { Form } from '../shared/forms/Form.tsx'

type SignInAgainDialogProps = { finish: (isDone: boolean) => void }

/**
 * Leaves the page and its typed text in place while the same user signs in again. The dialog hides the page, because the
 * user may have signed out in another tab and left.
 */
export function SignInAgainDialog({ finish }: SignInAgainDialogProps) {
  const email = sessionOfPage()?.user.email ?? ''
  return (
    <Modal heading="You have been signed out" isOpaque onCancel={() => finish(false)}>
      <p className="lead">
        Sign in as <strong>{email}</strong> to go on. What you typed is still here.
      </p>
      <Form
        send={(value) => authentication.signIn.email({ email, password: value('password') })}
        onDone={() => finish(true)}
        submitLabel="Sign in"
        pendingLabel="Signing in…"
      >
        {/* Password managers need the account of the password. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <CurrentPasswordField name="password" label="Your password" />
      </Form>
      <PasskeyButton label="Use a passkey" onDone={() => finish(true)} />
      <button type="button" className="button button-quiet" onClick={() => finish(false)}>
        Leave this page
      </button>
    </Modal>
  )
}
