import { type ReactNode, useState } from 'react'
import { Notice } from '../shared/components/Notice.tsx'
import { Form } from '../shared/forms/Form.tsx'

type SavedFormProps = {
  send: (value: (name: string) => string) => Promise<unknown>
  submitLabel: string
  children: ReactNode
}

/** A form that says when it is saved, until it is sent again. */
export function SavedForm({ send, submitLabel, children }: SavedFormProps) {
  const [isSaved, setSaved] = useState(false)

  function save(value: (name: string) => string) {
    setSaved(false)
    return send(value)
  }

  return (
    <>
      <Form send={save} onDone={() => setSaved(true)} submitLabel={submitLabel} pendingLabel="Saving…">
        {children}
      </Form>
      {isSaved && <Notice kind="success">Saved.</Notice>}
    </>
  )
}
