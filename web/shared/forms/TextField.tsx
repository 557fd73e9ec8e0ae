import { VERBATIM } from '../verbatim.ts'
import { Field } from './Field.tsx'
import type { Check } from './form-context.ts'

// The longest email address (RFC 5321, section 4.5.3.1.3: a path of 256 octets, with its brackets); names need less.
const MAX_LENGTH = 254

const WRITING = {
  name: { autoCapitalize: 'words', autoCorrect: 'off', spellCheck: false },
  sentence: { autoCapitalize: 'sentences', autoCorrect: 'on', spellCheck: true },
  code: VERBATIM,
} as const

type TextFieldProps = {
  name: string
  label: string
  type?: 'text' | 'email'
  /** How the browser helps with writing. Addresses, and names that must match, have the content `code`. */
  content?: keyof typeof WRITING
  autoComplete: string
  defaultValue?: string | undefined
  isReadOnly?: boolean
  isOptional?: boolean
  hint?: string
  check: Check
}

export function TextField({
  type = 'text',
  content,
  autoComplete,
  defaultValue,
  isReadOnly,
  ...field
}: TextFieldProps) {
  return (
    <Field {...field}>
      {(input) => (
        <input
          {...input}
          type={type}
          autoComplete={autoComplete}
          {...WRITING[content ?? (type === 'email' ? 'code' : 'name')]}
          defaultValue={defaultValue}
          maxLength={MAX_LENGTH}
          readOnly={isReadOnly}
        />
      )}
    </Field>
  )
}
