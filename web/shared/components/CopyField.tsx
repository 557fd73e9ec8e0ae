import { useId, useRef, useState } from 'react'

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
  const [isCopied, setCopied] = useState(false)

  async function copy() {
    field.current?.select()
    await navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => field.current?.focus(),
    )
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
        <button type="button" className="button button-quiet" onClick={copy}>
          <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
          <span className="visually-hidden"> {label}</span>
        </button>
      </div>
    </div>
  )
}
