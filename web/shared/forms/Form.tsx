import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef } from 'react'
import { ActionButton } from '../components/ActionButton.tsx'
import { FailureNotice } from '../components/FailureNotice.tsx'
import type { Sentences } from '../format/failure-sentence.ts'
import { FormContext } from './form-context.ts'
import { useFormErrors } from './use-form-errors.ts'

type FormProps<Answer> = {
  /** Sends the form. `value` gives what was entered in the field of that name, '' for nothing. */
  send: (value: (name: string) => string) => Promise<Answer>
  onDone: (answer: Answer) => void
  submitLabel: string
  pendingLabel: string
  kind?: 'main' | 'danger'
  sentences?: Sentences
  children: ReactNode
}

/**
 * A form whose errors appear at the field they are about, or above the fields when they are about the whole. They
 * appear only when it is sent: an error that came or went as a field loses the focus would move the button from under
 * the pointer that is about to press it.
 */
export function Form<Answer>({ children, ...props }: FormProps<Answer>) {
  const { send, onDone, submitLabel, pendingLabel, kind = 'main', sentences } = props
  const form = useRef<HTMLFormElement>(null)
  const { fields, wholeForm, check, explain } = useFormErrors(form)
  const { mutate, isPending } = useMutation({
    mutationFn: (values: FormData) => send((name) => String(values.get(name) ?? '')),
    onSuccess: onDone,
    onError: explain,
  })

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const values = new FormData(event.currentTarget)
    if (!isPending && check(values)) mutate(values)
  }

  return (
    <form ref={form} className="form" noValidate onSubmit={submit}>
      {wholeForm && <FailureNotice error={wholeForm} sentences={sentences} />}
      <FormContext value={fields}>{children}</FormContext>
      <ActionButton type="submit" kind={kind} isPending={isPending} pendingLabel={pendingLabel}>
        {submitLabel}
      </ActionButton>
    </form>
  )
}
