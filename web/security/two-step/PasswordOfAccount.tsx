import { CurrentPasswordField } from '../../shared/forms/CurrentPasswordField.tsx'

type PasswordOfAccountProps = { email: string; hasPassword: boolean }

/** A user without a password verifies themselves with a passkey: the service asks for a fresh session. */
export function PasswordOfAccount({ email, hasPassword }: PasswordOfAccountProps) {
  if (!hasPassword) return null
  return (
    <>
      {/* Password managers need the account of the password. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <CurrentPasswordField name="currentPassword" label="Your password" />
    </>
  )
}

/** The value of the field, if the form has it. */
export function passwordIn(value: (name: string) => string): string | undefined {
  return value('currentPassword') || undefined
}
