import { PasswordField } from './PasswordField.tsx'

const HINT = 'A few unrelated words are easy to remember and hard to guess.'

type NewPasswordFieldProps = { name: string; label: string }

/** A password to be chosen. How long it has to be is the service's to say: its minimum can be raised. */
export function NewPasswordField({ name, label }: NewPasswordFieldProps) {
  return <PasswordField name={name} label={label} autoComplete="new-password" check={checkPassword} hint={HINT} />
}

function checkPassword(value: string): string | null {
  return value === '' ? 'Choose a password.' : null
}
