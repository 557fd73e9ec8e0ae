import { VERBATIM } from '../verbatim.ts'
import { Field } from './Field.tsx'
import type { Check } from './form-context.ts'

type TextAreaProps = {
  name: string
  label: string
  hint: string
  value?: string
  onChange?: (text: string) => void
  rows?: number
  check: Check
}

export function TextArea({ value, onChange, rows = 8, ...field }: TextAreaProps) {
  return (
    <Field {...field}>
      {({ id, name, 'aria-invalid': isInvalid, 'aria-describedby': remark, onInput }) => (
        <textarea
          id={id}
          name={name}
          className="input text-area"
          aria-invalid={isInvalid}
          aria-describedby={remark}
          onInput={onInput}
          autoComplete="off"
          {...VERBATIM}
          rows={rows}
          value={value}
          onChange={onChange && (({ target }) => onChange(target.value))}
        />
      )}
    </Field>
  )
}
