import { CodeForm } from '../../shared/two-step/CodeForm.tsx'
import { SendCode } from '../../shared/two-step/SendCode.tsx'

/** The first code verifies that the user can read the emails. */
export function ConfirmEmail({ email, onDone }: { email: string; onDone: () => void }) {
  return (
    <>
      <p>
        We emailed a code with six digits to <strong>{email}</strong>.
      </p>
      <CodeForm kind="otp" submitLabel="Turn on" onDone={onDone} />
      <SendCode email={email} isSent />
    </>
  )
}
