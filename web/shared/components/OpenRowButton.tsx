import { useLayoutEffect, useRef } from 'react'
import { useIsSending } from '../api/use-is-sending.ts'
import type { OpenRow } from '../routing/open-row.ts'

type OpenRowButtonProps = { openRow: OpenRow; id: string; label: string; about: string }

/** Opens and closes the details below a row. When the details close, the button gets the focus back. */
export function OpenRowButton({ openRow, id, label, about }: OpenRowButtonProps) {
  const isOpen = openRow.id === id
  const mustStay = useIsSending() && isOpen
  const wasOpen = useRef(isOpen)
  const button = useRef<HTMLButtonElement>(null)

  useLayoutEffect(() => {
    if (wasOpen.current && openRow.id === null) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen, openRow.id])

  return (
    <button
      ref={button}
      type="button"
      className="button button-quiet"
      aria-expanded={isOpen}
      aria-disabled={mustStay}
      onClick={() => !mustStay && openRow.toggle(id)}
    >
      {isOpen ? 'Close' : label}
      <span className="visually-hidden"> {about}</span>
    </button>
  )
}
