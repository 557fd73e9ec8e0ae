import { useState } from 'react'
import type { SecondStep } from '../api/sign-in.ts'
import type { CodeKind } from '../api/two-step.ts'
import { useIsDialogSending } from '../api/use-is-sending.ts'
import { brandName } from '../brand.ts'
import { CodeForm, type CodeFormProps } from './CodeForm.tsx'
import { SendCode } from './SendCode.tsx'

type SecondStepFormProps = Omit<CodeFormProps, 'kind'> & { email: string; step: SecondStep }

/** Asks for a code from the app or the email. The user may enter a recovery code instead. */
export function SecondStepForm({ email, step, ...form }: SecondStepFormProps) {
  const [kind, setKind] = useState<CodeKind>(step.method)
  const [isSent, setSent] = useState(step.isCodeSent)
  const isSending = useIsDialogSending()
  return (
    <>
      <p className="lead">
        <Instruction kind={kind} email={email} isSent={isSent} />
      </p>
      <CodeForm kind={kind} {...form} />
      {kind === 'otp' && (
        <SendCode email={email} isSent={isSent} onSent={() => setSent(true)} onExpired={form.onExpired} />
      )}
      <button
        type="button"
        className="button button-quiet"
        aria-disabled={isSending}
        onClick={() => !isSending && setKind(kind === 'recovery' ? step.method : 'recovery')}
      >
        {kind === 'recovery' ? 'Don’t use a recovery code' : 'Use a recovery code'}
      </button>
    </>
  )
}

function Instruction({ kind, email, isSent }: { kind: CodeKind; email: string; isSent: boolean }) {
  if (kind === 'recovery') return 'You got ten recovery codes when you set up two-step verification. Each works once.'
  if (kind === 'totp')
    return (
      <>
        Your authenticator app shows a code with six digits for {brandName} and <strong>{email}</strong>.
      </>
    )
  return (
    <>
      {isSent ? 'We emailed' : 'We email'} a code with six digits to <strong>{email}</strong>. It works for 5 minutes.
    </>
  )
}
