import { useId, useRef, useState } from 'react'

type CopyFieldProps = { label: string; value: string }

/** A value to copy. Without access to the clipboard, the browser selects it. */
export function CopyField({ label, value }: CopyFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [isCopied, setCopied] = useState(false)

  async function copy() {
    input.current?.select()
    await navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => input.current?.focus(),
    )
  }

  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="copy-field">
        <input ref={input} id={id} className="input" readOnly value={value} />
        <button type="button" className="button button-quiet" onClick={copy}>
          <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
          <span className="visually-hidden"> {label}</span>
        </button>
      </div>
    </div>
  )
}
