import { PasswordField } from './PasswordField.tsx'

const HINT = 'A few unrelated words are easy to remember and hard to guess.'

type NewPasswordFieldProps = { name: string; label: string }

/** The service checks the length, because PASSWORD_MIN_LENGTH sets the minimum. */
export function NewPasswordField({ name, label }: NewPasswordFieldProps) {
  return <PasswordField name={name} label={label} autoComplete="new-password" check={checkPassword} hint={HINT} />
}

function checkPassword(value: string): string | null {
  return value === '' ? 'Choose a password.' : null
}
