import { type RefObject, useState } from 'react'
import { flushSync } from 'react-dom'
import { RequestFailed } from '../api/request-failed.ts'
import { failureSentence, type Sentences } from '../format/failure-sentence.ts'
import type { Check, FieldErrors } from './form-context.ts'
import { findInvalidField } from './invalid-field.ts'

type Shown = { errors: FieldErrors; wholeForm: RequestFailed | null }

const NOTHING: Shown = { errors: {}, wholeForm: null }

/** The errors of the fields, and the error of the whole form. The first invalid field gets the focus. */
export function useFormErrors(form: RefObject<HTMLFormElement | null>, sentences?: Sentences) {
  const [{ errors, wholeForm }, setShown] = useState(NOTHING)
  const [checks] = useState(() => new Map<string, Check>())

  function show(shown: Shown) {
    flushSync(() => setShown(shown))
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }

  /** Shows the errors and returns whether there are none. */
  function check(values: FormData): boolean {
    const found = errorsIn(values, checks)
    show({ errors: found, wholeForm: null })
    return Object.keys(found).length === 0
  }

  function explain(error: Error) {
    const failure = RequestFailed.from(error)
    const field = form.current ? findInvalidField(failure, form.current) : undefined
    if (field === undefined) show({ errors: {}, wholeForm: failure })
    else show({ errors: { [field]: sentenceAtField(failure, sentences) }, wholeForm: null })
  }

  function correct(name: string, error: string | null) {
    setShown((shown) => {
      const { [name]: _corrected, ...others } = shown.errors
      return { ...shown, errors: error === null ? others : { ...others, [name]: error } }
    })
  }

  return { fields: { errors, checks, correct }, wholeForm, check, explain }
}

/** The sentence without the name that the request gives the field, which users do not know. */
export function sentenceAtField(failure: RequestFailed, sentences?: Sentences): string {
  const sentence = failureSentence(failure, sentences)
  const { field } = failure
  return field !== undefined && sentence.startsWith(`${field} `) ? `This${sentence.slice(field.length)}` : sentence
}

function errorsIn(values: FormData, checks: Map<string, Check>): FieldErrors {
  const errors: FieldErrors = {}
  for (const [name, check] of checks) {
    const error = check(String(values.get(name) ?? ''))
    if (error !== null) errors[name] = error
  }
  return errors
}
