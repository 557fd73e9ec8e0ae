import { CurrentPasswordField } from '../../shared/forms/CurrentPasswordField.tsx'
import { UsernameOfPassword } from '../../shared/forms/UsernameOfPassword.tsx'

type PasswordOfAccountProps = { email: string; hasPassword: boolean }

/** A user without a password verifies themselves with a passkey: the service asks for a fresh session. */
export function PasswordOfAccount({ email, hasPassword }: PasswordOfAccountProps) {
  if (!hasPassword) return null
  return (
    <>
      <UsernameOfPassword email={email} />
      <CurrentPasswordField name="currentPassword" label="Your password" />
    </>
  )
}

/** The value of the field, if the form has it. */
export function passwordIn(value: (name: string) => string): string | undefined {
  return value('currentPassword') || undefined
}
