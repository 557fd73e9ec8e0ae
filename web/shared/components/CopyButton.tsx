import { useState } from 'react'

type CopyButtonProps = {
  text: string
  /** The continuation of "Copy" for screen readers. */
  about: string
  className?: string
  /** What the user can do when the browser refuses access to the clipboard. */
  advice: string
  onRefused?: () => void
}

export function CopyButton({ text, about, className = 'button button-quiet', advice, onRefused }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null)

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setOutcome('copied')
    } catch {
      setOutcome('refused')
      onRefused?.()
    }
  }

  return (
    <>
      <button type="button" className={className} onClick={copy}>
        <span aria-live="polite">{outcome === 'copied' ? 'Copied' : 'Copy'}</span>
        <span className="visually-hidden"> {about}</span>
      </button>
      {outcome === 'refused' && (
        <p className="field-error copy-refused" role="alert">
          Your browser doesn’t let this page copy. {advice}
        </p>
      )}
    </>
  )
}
