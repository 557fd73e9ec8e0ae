import { TextField } from './TextField.tsx'

type EmailFieldProps = { defaultValue?: string; isReadOnly?: boolean; hint?: string }

export function EmailField(props: EmailFieldProps) {
  return (
    <TextField name="email" label="Email address" type="email" autoComplete="username" check={checkEmail} {...props} />
  )
}

function checkEmail(value: string): string | null {
  const email = value.trim()
  if (email === '') return 'Enter your email address.'
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    return 'That isn’t a complete email address. It should look like name@example.com.'
  return null
}
