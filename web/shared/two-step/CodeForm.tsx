import { type CodeKind, verifyCode } from '../api/two-step.ts'
import { REPEATABLE, type Sentences } from '../format/failure-sentence.ts'
import { Choice } from '../forms/Choice.tsx'
import { CodeField } from '../forms/CodeField.tsx'
import { Form } from '../forms/Form.tsx'
import { lettersAndDigits } from '../forms/letters-and-digits.ts'
import { RecoveryCodeField } from '../forms/RecoveryCodeField.tsx'
import { expiryOf } from './expiry.ts'
import { LOCKED } from './locked-sentence.ts'

export type CodeFormProps = {
  kind: CodeKind
  submitLabel: string
  /** Whether the user trusts the device. Undefined where the service does not ask. */
  trust?: { isChosen: boolean; onChange: (isChosen: boolean) => void }
  /** The time of the setup that the code ends. */
  setupCreatedAt?: string
  onDone: (recoveryCodesLeft: number | undefined) => void
  /** The challenge of the sign-in has expired or was tried too often: the user must enter the password again. */
  onExpired?: (reason: string) => void
}

const LABELS = { totp: 'Code of your authenticator app', otp: 'Code of the email' }

const WRONG_CODE: Record<CodeKind, Sentences> = {
  totp: {
    INVALID_CODE:
      'That code is wrong or was used before. Wait for the next one. If that is wrong too, check that your phone sets its clock automatically.',
  },
  otp: {
    INVALID_CODE: 'That isn’t the code of the newest email. Check it, or send another one.',
    OTP_HAS_EXPIRED: 'This code has expired. Send another one.',
    TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Those were too many wrong codes. Send another one.',
  },
  recovery: {
    INVALID_BACKUP_CODE: 'That isn’t one of your recovery codes, or it was used before.',
  },
}

export function CodeForm(props: CodeFormProps) {
  const { kind, submitLabel, trust, setupCreatedAt, onDone, onExpired } = props
  // The next code of an app or an email is another one. A recovery code is used up even if the response is lost.
  const isRepeatable = kind !== 'recovery'

  async function send(value: (name: string) => string) {
    try {
      return await verifyCode(kind, {
        code: lettersAndDigits(value('code')),
        trustDevice: value('trustDevice') === 'on',
        expectedCreatedAt: setupCreatedAt,
      })
    } catch (error) {
      const reason = expiryOf(error)
      if (reason !== undefined) onExpired?.(reason)
      throw error
    }
  }

  return (
    <Form
      key={kind}
      send={send}
      onDone={onDone}
      submitLabel={submitLabel}
      pendingLabel="Checking…"
      sentences={{ ...(isRepeatable && REPEATABLE), ...LOCKED, ...WRONG_CODE[kind] }}
    >
      {/* Before the field, whose last digit sends the form. */}
      {trust && (
        <Choice type="checkbox" name="trustDevice" label="Trust this device for 30 days" {...trust}>
          It then needs no code. Only for a device that no one else uses.
        </Choice>
      )}
      {kind === 'recovery' ? <RecoveryCodeField /> : <CodeField label={LABELS[kind]} />}
    </Form>
  )
}
