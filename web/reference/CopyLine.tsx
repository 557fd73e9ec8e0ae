import { useState } from 'react'

export function CopyLine({ line }: { line: string }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <div className="copy-line">
      <code>{line}</code>
      <button
        type="button"
        className="text-button"
        onClick={() => navigator.clipboard.writeText(line).then(() => setCopied(true))}
      >
        <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
      </button>
    </div>
  )
}
