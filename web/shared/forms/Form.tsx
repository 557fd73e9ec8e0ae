import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef } from 'react'
import { RequestFailed } from '../api/request-failed.ts'
import { ActionButton } from '../components/ActionButton.tsx'
import { DoneNotice } from '../components/DoneNotice.tsx'
import { FailureNotice } from '../components/FailureNotice.tsx'
import type { Sentences } from '../format/failure-sentence.ts'
import { CancelButton } from './CancelButton.tsx'
import { FormContext } from './form-context.ts'
import { useFormErrors } from './use-form-errors.ts'

type FormProps<Data> = {
  /** Sends the form. `value` returns the text of a field, or ''. */
  send: (value: (name: string) => string) => Promise<Data>
  onDone?: (data: Data) => unknown
  submitLabel: string
  pendingLabel: string
  kind?: 'main' | 'danger'
  sentences?: Sentences | undefined
  /** The notice of a success. It stays until the form is sent again. */
  doneNotice?: (data: Data) => ReactNode
  /** Closes the form, by a button beside the other one. */
  onCancel?: () => void
  children: ReactNode
}

/**
 * A form that shows errors at their field, and other errors above the fields. Errors appear only when the form is sent:
 * if they appeared when a field loses the focus, the button would move away from the pointer.
 */
export function Form<Data>({ children, ...props }: FormProps<Data>) {
  const { send, onDone, doneNotice, onCancel, submitLabel, pendingLabel, kind = 'main', sentences } = props
  const form = useRef<HTMLFormElement>(null)
  // State alone does not stop a double click: the second click is before the next render.
  const isSent = useRef(false)
  const isSentAgain = useRef(false)
  const { fields, wholeForm, check, explain } = useFormErrors(form, sentences)
  const { mutate, isPending, isSuccess, reset, data } = useMutation({
    meta: { label: submitLabel, sentences },
    mutationFn: (values: FormData) => send((name) => String(values.get(name) ?? '')),
    onSuccess: (answer) => onDone?.(answer),
    onSettled: (_data, error, sent) => {
      isSent.current = false
      if (!error) return
      if (mustSendAgain(error, sent)) form.current?.requestSubmit()
      else explain(error)
    },
  })

  /** The user has corrected a value during the request, and sent the form again: the refusal is of the former value. */
  function mustSendAgain(error: Error, sent: FormData): boolean {
    if (!isSentAgain.current || !form.current || !isRefusal(RequestFailed.from(error))) return false
    return textOf(new FormData(form.current)) !== textOf(sent)
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    isSentAgain.current = isSent.current
    if (isSent.current) return
    reset()
    const values = new FormData(event.currentTarget)
    if (!check(values)) return
    isSent.current = true
    mutate(values)
  }

  const submitButton = (
    <ActionButton type="submit" kind={kind} isPending={isPending} pendingLabel={pendingLabel}>
      {submitLabel}
    </ActionButton>
  )

  return (
    <form ref={form} className="form" noValidate onSubmit={submit}>
      {doneNotice && <DoneNotice>{isSuccess && doneNotice(data)}</DoneNotice>}
      {wholeForm && <FailureNotice error={wholeForm} sentences={sentences} />}
      <FormContext value={fields}>{children}</FormContext>
      {onCancel ? (
        <div className="buttons">
          {submitButton}
          <CancelButton onCancel={onCancel} />
        </div>
      ) : (
        submitButton
      )}
    </form>
  )
}

/** Whether the service has changed nothing. Without a response, the change may have been made. */
function isRefusal({ status }: RequestFailed): boolean {
  return status >= 400 && status < 500 && status !== 429
}

function textOf(values: FormData): string {
  return JSON.stringify([...values])
}
