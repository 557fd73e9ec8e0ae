import { type ReactNode, useState } from 'react'
import { VERBATIM } from '../verbatim.ts'
import { Field } from './Field.tsx'
import type { Check } from './form-context.ts'

type PasswordFieldProps = {
  name: string
  label: string
  autoComplete: 'current-password' | 'new-password'
  hint?: string
  aside?: ReactNode
  check: Check
  onType?: (input: HTMLInputElement) => void
}

export function PasswordField({ autoComplete, onType, ...field }: PasswordFieldProps) {
  const [isShown, setShown] = useState(false)
  return (
    <Field {...field}>
      {(input) => (
        <div className="password">
          <input
            {...input}
            onInput={(event) => {
              input.onInput(event)
              onType?.(event.currentTarget)
            }}
            type={isShown ? 'text' : 'password'}
            autoComplete={autoComplete}
            {...VERBATIM}
          />
          <button type="button" className="show-password" onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
            <span className="visually-hidden"> {field.label.toLowerCase()}</span>
          </button>
        </div>
      )}
    </Field>
  )
}
