import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Form } from './Form.tsx'
import { TextField } from './TextField.tsx'

export type ConfirmPanelProps = {
  /** What the button is about, for screen readers. */
  about: string
  /** Names what goes, and says whether it can be undone. */
  question: ReactNode
  confirmLabel: string
  pendingLabel: string
  /** For what can't be undone: the user must type this name. */
  typedName?: string
  action: () => Promise<unknown>
  onDone?: () => void
}

/** The question before something is destroyed. It takes the focus. */
export function ConfirmPanel(props: ConfirmPanelProps & { onClose: () => void }) {
  const { about, question, confirmLabel, pendingLabel, typedName, action, onDone, onClose } = props
  const panel = useRef<HTMLFieldSetElement>(null)

  useLayoutEffect(() => panel.current?.querySelector<HTMLElement>('input, button')?.focus(), [])

  function done() {
    onClose()
    onDone?.()
  }

  return (
    <fieldset ref={panel} className="confirm" onKeyDown={({ key }) => key === 'Escape' && onClose()}>
      <legend className="visually-hidden">{`${confirmLabel}: ${about}`}</legend>
      <p>{question}</p>
      <Form send={action} onDone={done} kind="danger" submitLabel={confirmLabel} pendingLabel={pendingLabel}>
        {typedName !== undefined && (
          <TextField
            name="typedName"
            label={`Type ${typedName} to go on`}
            autoComplete="off"
            check={(value) => (value.trim() === typedName ? null : `Type ${typedName}, exactly so.`)}
          />
        )}
      </Form>
      <button type="button" className="button button-quiet" onClick={onClose}>
        Cancel
      </button>
    </fieldset>
  )
}
