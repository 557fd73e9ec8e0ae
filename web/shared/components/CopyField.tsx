import { useId, useRef } from 'react'
import { CopyButton } from './CopyButton.tsx'

type CopyFieldProps = {
  label: string
  value: string
  /** Wraps a value that users may have to read and type. */
  isWrapped?: boolean
}

/** A value to copy. Without access to the clipboard, the browser selects it. */
export function CopyField({ label, value, isWrapped = false }: CopyFieldProps) {
  const id = useId()
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null)

  function select() {
    field.current?.focus()
    field.current?.select()
  }

  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="copy-field">
        {isWrapped ? (
          <textarea ref={field} id={id} className="input text-area" rows={2} readOnly value={value} />
        ) : (
          <input ref={field} id={id} className="input" readOnly value={value} />
        )}
        <CopyButton
          text={value}
          about={label}
          advice="It is selected: copy it with the keyboard or the menu."
          onRefused={select}
        />
      </div>
    </div>
  )
}
