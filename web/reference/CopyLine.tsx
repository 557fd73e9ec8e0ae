import { useState } from 'react'

/** A line of code for the reader to copy. The name is that of the program. */
export function CopyLine({ name, line }: { name: string; line: string }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <div className="copy-line">
      <span className="soft">{name}</span>
      <code>{line}</code>
      <button
        type="button"
        className="text-button"
        onClick={() => navigator.clipboard.writeText(line).then(() => setCopied(true))}
      >
        <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
        <span className="visually-hidden"> for {name}</span>
      </button>
    </div>
  )
}
