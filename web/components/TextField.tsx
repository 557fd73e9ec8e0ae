import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextField as Field } from 'react-aria-components/TextField'

type TextFieldProps = {
  name: string
  label: string
  type?: 'text' | 'email'
  autoComplete: string
  defaultValue?: string
  isReadOnly?: boolean
  hint?: string
  /** What is wrong with the value and what to do; null when nothing is. */
  check: (value: string) => string | null
}

export function TextField({
  name,
  label,
  type = 'text',
  autoComplete,
  defaultValue,
  isReadOnly,
  hint,
  check,
}: TextFieldProps) {
  return (
    <Field
      name={name}
      type={type}
      autoComplete={autoComplete}
      defaultValue={defaultValue ?? ''}
      isReadOnly={isReadOnly ?? false}
      isRequired
      validate={check}
      className="field"
    >
      <Label>{label}</Label>
      <Input
        className="input"
        maxLength={254}
        spellCheck="false"
        autoCapitalize={type === 'email' ? 'none' : 'words'}
      />
      {hint && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error" />
    </Field>
  )
}
