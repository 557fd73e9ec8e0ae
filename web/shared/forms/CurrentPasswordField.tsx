import type { ReactNode } from 'react'
import { PasswordField } from './PasswordField.tsx'

type CurrentPasswordFieldProps = { name: string; label: string; aside?: ReactNode }

export function CurrentPasswordField(props: CurrentPasswordFieldProps) {
  return <PasswordField autoComplete="current-password" check={checkPassword} {...props} />
}

function checkPassword(value: string): string | null {
  return value === '' ? 'Enter your password.' : null
}
