import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { Form } from 'react-aria-components/Form'
import { RequestFailed } from '../api/request-failed.ts'
import { failureSentence } from '../words/failure-sentence.ts'
import { ActionButton } from './ActionButton.tsx'
import { FailureNotice } from './FailureNotice.tsx'
import { fieldAtFault } from './field-at-fault.ts'

type EntryFormProps<Answer> = {
  /** Sends the form. `value` gives what was entered in the field of that name, '' for nothing. */
  send: (value: (name: string) => string) => Promise<Answer>
  onDone: (answer: Answer) => void
  submitLabel: string
  pendingLabel: string
  children: ReactNode
}

/** A form whose errors appear at the field they are about, or above the fields when they are about the whole. */
export function EntryForm<Answer>({ send, onDone, submitLabel, pendingLabel, children }: EntryFormProps<Answer>) {
  const form = useRef<HTMLFormElement>(null)
  const { mutate, isPending, error } = useMutation({
    mutationFn: (values: FormData) => send((name) => String(values.get(name) ?? '')),
    onSuccess: onDone,
  })
  const { wholeForm, atFields } = useMemo(() => sortOut(error, form.current), [error])

  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!isPending) mutate(new FormData(event.currentTarget))
  }

  return (
    <Form ref={form} className="form" validationErrors={atFields} onSubmit={submit}>
      {wholeForm && <FailureNotice error={wholeForm} />}
      {children}
      <ActionButton type="submit" isPending={isPending} pendingLabel={pendingLabel}>
        {submitLabel}
      </ActionButton>
    </Form>
  )
}

function sortOut(error: Error | null, form: HTMLFormElement | null) {
  if (error === null || form === null) return { wholeForm: null, atFields: {} }
  const failure = RequestFailed.from(error)
  const field = fieldAtFault(failure, form)
  if (field === undefined) return { wholeForm: failure, atFields: {} }
  return { wholeForm: null, atFields: { [field]: failureSentence(failure) } }
}
