import { TextField } from './TextField.tsx'

type EmailFieldProps = {
  name?: string
  label?: string
  autoComplete?: string
  defaultValue?: string | undefined
  /** With `onChange`, instead of `defaultValue`. */
  value?: string
  onChange?: (email: string) => void
  isReadOnly?: boolean
  hint?: string
}

export function EmailField({
  name = 'email',
  label = 'Email address',
  autoComplete = 'username',
  ...field
}: EmailFieldProps) {
  return <TextField name={name} label={label} type="email" autoComplete={autoComplete} check={checkEmail} {...field} />
}

export function checkEmail(value: string): string | null {
  const email = value.trim()
  if (email === '') return 'Enter your email address.'
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    return 'That isn’t a complete email address. It should look like name@example.com.'
  return null
}
