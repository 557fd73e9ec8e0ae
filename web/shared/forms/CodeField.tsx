import { use, useEffect, useRef } from 'react'
import { Field } from './Field.tsx'
import { FormContext } from './form-context.ts'
import { lettersAndDigits } from './letters-and-digits.ts'

const DIGITS = 6
const HINT = 'It is checked as soon as you enter the sixth digit.'

/** The code of an authenticator app or an email. Six digits send the form, also with spaces or hyphens. */
export function CodeField({ label }: { label: string }) {
  const { errors, correct } = use(FormContext)
  const field = useRef<HTMLInputElement>(null)
  const isRefused = errors.code !== undefined

  // Scrolling to the field would hide the QR code above it.
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  // The next code replaces a refused one, unless the user has begun to type it.
  useEffect(() => {
    if (isRefused && field.current && checkCode(field.current.value) === null) field.current.select()
  }, [isRefused])

  return (
    <Field name="code" label={label} hint={HINT} check={checkCode}>
      {(input) => (
        <input
          {...input}
          ref={field}
          className="input code"
          inputMode="numeric"
          autoComplete="one-time-code"
          spellCheck={false}
          onInput={({ currentTarget }) => {
            if (isRefused) correct('code', null)
            if (checkCode(currentTarget.value) === null) currentTarget.form?.requestSubmit()
          }}
        />
      )}
    </Field>
  )
}

function checkCode(value: string): string | null {
  const code = lettersAndDigits(value)
  if (code === '') return 'Enter the code.'
  return /^\d+$/.test(code) && code.length === DIGITS ? null : `The code has ${DIGITS} digits.`
}
