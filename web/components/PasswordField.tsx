import { type ReactNode, useState } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextField as Field } from 'react-aria-components/TextField'

type PasswordFieldProps = {
  name: string
  label: string
  autoComplete: 'current-password' | 'new-password'
  hint?: ReactNode
  check: (value: string) => string | null
  onChange?: (value: string) => void
  aside?: ReactNode
}

/** A password that can be shown. `aside` stands beside the label. */
export function PasswordField({ name, label, autoComplete, hint, check, onChange, aside }: PasswordFieldProps) {
  const [isShown, setShown] = useState(false)
  return (
    <Field
      name={name}
      type={isShown ? 'text' : 'password'}
      autoComplete={autoComplete}
      isRequired
      validate={check}
      onChange={(value) => onChange?.(value)}
      className="field"
    >
      <div className="label-line">
        <Label>{label}</Label>
        {aside}
      </div>
      <div className="password">
        <Input className="input" spellCheck="false" autoCapitalize="none" />
        <button type="button" className="show-password" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
          <span className="visually-hidden"> {label.toLowerCase()}</span>
        </button>
      </div>
      {hint && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error" />
    </Field>
  )
}
