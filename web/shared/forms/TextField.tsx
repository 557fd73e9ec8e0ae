import { Field } from './Field.tsx'
import type { Check } from './form-context.ts'

// The longest email address (RFC 5321, section 4.5.3.1.3: a path of 256 octets, with its brackets); names need less.
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
