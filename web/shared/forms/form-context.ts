import { createContext } from 'react'

/** Returns the error text of a value, or null. */
export type Check = (value: string) => string | null

/** Error texts by the name of the field. */
export type FieldErrors = Record<string, string>

type FormState = {
  errors: FieldErrors
  /** Checks by the name of the field. The form runs them when it is sent. */
  checks: Map<string, Check>
  correct: (name: string, error: string | null) => void
}

export const FormContext = createContext<FormState>({ errors: {}, checks: new Map(), correct: () => {} })
