import { createContext } from 'react'

/** What is wrong with a value and what to do; null when nothing is. */
export type Check = (value: string) => string | null

/** What is said at each field, by the field's name. */
export type FieldErrors = Record<string, string>

type FormState = {
  errors: FieldErrors
  /** How each field's value is looked at when the form is sent. Its changes render nothing. */
  checks: Map<string, Check>
  correct: (name: string, error: string | null) => void
}

export const FormContext = createContext<FormState>({ errors: {}, checks: new Map(), correct: () => {} })
