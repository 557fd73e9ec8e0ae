import { CodeForm } from '../../shared/two-step/CodeForm.tsx'
import { SendCode } from '../../shared/two-step/SendCode.tsx'

type ConfirmEmailProps = { email: string; createdAt: string; onDone: () => void }

/** The first code verifies that the user can read the emails. */
export function ConfirmEmail({ email, createdAt, onDone }: ConfirmEmailProps) {
  return (
    <>
      <p>
        We emailed a code with six digits to <strong>{email}</strong>.
      </p>
      <CodeForm kind="otp" submitLabel="Turn on" setupCreatedAt={createdAt} onDone={onDone} />
      <SendCode email={email} isSent />
    </>
  )
}
