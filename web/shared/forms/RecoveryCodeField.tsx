import { useEffect, useRef } from 'react'
import { VERBATIM } from '../verbatim.ts'
import { Field } from './Field.tsx'
import { lettersAndDigits } from './letters-and-digits.ts'

export function RecoveryCodeField() {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <Field
      name="code"
      label="Recovery code"
      hint="It looks like k3f9-2mwq-… and works once."
      check={(value) => (lettersAndDigits(value) === '' ? 'Enter one of your recovery codes.' : null)}
    >
      {(input) => <input {...input} ref={field} className="input code" autoComplete="off" {...VERBATIM} />}
    </Field>
  )
}
