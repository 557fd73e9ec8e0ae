import { useState } from 'react'
import { PasswordField } from './PasswordField.tsx'
import { describeStrength } from './password-strength.ts'

const HINT = 'A few unrelated words are easy to remember and hard to guess.'

type NewPasswordFieldProps = {
  name: string
  label: string
  /** The user of the password. The fields of the same form replace these values. */
  owner?: { name?: string; email?: string; organizationNames?: string[] }
}

/** The service checks the length, because PASSWORD_MIN_LENGTH sets the minimum. */
export function NewPasswordField({ name, label, owner = {} }: NewPasswordFieldProps) {
  const [strength, setStrength] = useState('')

  function rate({ value, form }: HTMLInputElement) {
    const typed = (field: 'name' | 'email') => textOf(form, field) ?? owner[field] ?? ''
    const { organizationNames = [] } = owner
    const known = { name: typed('name'), email: typed('email'), organizationNames }
    setStrength(value === '' ? '' : describeStrength(value, known))
  }

  return (
    <PasswordField
      name={name}
      label={label}
      autoComplete="new-password"
      check={checkPassword}
      hint={strength || HINT}
      onType={rate}
    />
  )
}

function textOf(form: HTMLFormElement | null, field: string): string | undefined {
  const input = form?.elements.namedItem(field)
  return input instanceof HTMLInputElement ? input.value : undefined
}

function checkPassword(value: string): string | null {
  return value === '' ? 'Choose a password.' : null
}
