import { Field } from './Field.tsx'
import type { Check } from './form-context.ts'

// The longest address that mail can be sent to; names need less.
const MAX_LENGTH = 254

type TextFieldProps = {
  name: string
  label: string
  type?: 'text' | 'email'
  autoComplete: string
  defaultValue?: string | undefined
  isReadOnly?: boolean
  hint?: string
  check: Check
}

export function TextField({ type = 'text', autoComplete, defaultValue, isReadOnly, ...field }: TextFieldProps) {
  return (
    <Field {...field}>
      {(input) => (
        <input
          {...input}
          type={type}
          autoComplete={autoComplete}
          autoCapitalize={type === 'email' ? 'none' : 'words'}
          defaultValue={defaultValue}
          maxLength={MAX_LENGTH}
          readOnly={isReadOnly}
          spellCheck={false}
        />
      )}
    </Field>
  )
}
