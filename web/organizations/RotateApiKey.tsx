import { useLayoutEffect, useRef, useState } from 'react'
import { queryClient } from '../shared/api/queries.ts'
import { request } from '../shared/api/request.ts'
import { CancelButton } from '../shared/forms/CancelButton.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { findFirstControl } from '../shared/forms/find-first-control.ts'
import { SelectField } from '../shared/forms/SelectField.tsx'
import { useFocusAfterClose } from '../shared/forms/use-focus-after-close.ts'
import { mayLeave } from '../shared/routing/may-leave.ts'
import type { ApiKey, CreatedApiKey } from './queries.ts'

const OVERLAPS = {
  0: 'At once',
  3600: 'In an hour',
  86400: 'In 24 hours',
  604800: 'In 7 days',
}

type RotateApiKeyProps = { apiKey: ApiKey; onCreated: (created: CreatedApiKey) => void }

/**
 * Replaces a key. The old key works for some time, so that programs can change to the new key without an interruption.
 */
export function RotateApiKey({ apiKey: { id, name }, onCreated }: RotateApiKeyProps) {
  const [isOpen, setOpen] = useState(false)
  const opener = useFocusAfterClose(isOpen)
  const panel = useRef<HTMLDivElement>(null)

  useLayoutEffect(() => {
    if (isOpen) findFirstControl(panel.current)?.focus()
  }, [isOpen])

  if (!isOpen) {
    return (
      <button ref={opener} type="button" className="button button-quiet" onClick={() => setOpen(true)}>
        Rotate…<span className="visually-hidden"> {name}</span>
      </button>
    )
  }

  /** @returns null if the user stays on the page to store another new key first */
  async function rotate(overlapSeconds: number): Promise<CreatedApiKey | null> {
    return mayLeave() ? request('/api/auth/api-key/rotate', { keyId: id, overlapSeconds }) : null
  }

  async function show(created: CreatedApiKey | null) {
    if (created === null) return
    setOpen(false)
    onCreated(created)
    scrollTo(0, 0)
    await queryClient.invalidateQueries()
  }

  return (
    <div ref={panel} className="rotate">
      <p>A new key with the same name, role and lifetime replaces it. You see the new one once.</p>
      <Form
        send={(value) => rotate(Number(value('overlap')))}
        onDone={show}
        submitLabel="Rotate this API key"
        pendingLabel="Rotating…"
      >
        <SelectField name="overlap" label="The old key stops working" options={OVERLAPS} defaultValue="86400" />
      </Form>
      <CancelButton onCancel={() => setOpen(false)} />
    </div>
  )
}
