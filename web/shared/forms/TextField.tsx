import { VERBATIM } from '../verbatim.ts'
import { Field } from './Field.tsx'
import type { Check } from './form-context.ts'

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
  /** With `onChange`, instead of `defaultValue`. */
  value?: string | undefined
  onChange?: ((text: string) => void) | undefined
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
  value,
  onChange,
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
          value={value}
          onChange={onChange && (({ target }) => onChange(target.value))}
          readOnly={isReadOnly}
        />
      )}
    </Field>
  )
}
