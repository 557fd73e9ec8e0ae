import { useLayoutEffect, useRef, useState } from 'react'
import { ConfirmPanel, type ConfirmPanelProps } from './ConfirmPanel.tsx'

type InlineConfirmProps = ConfirmPanelProps & {
  /** The text of the button, which only asks. */
  label: string
}

/** A button that asks in place before it destroys something. A refusal stays visible beside the question. */
export function InlineConfirm(props: InlineConfirmProps) {
  const [isOpen, setOpen] = useState(false)
  const wasOpen = useRef(false)
  const opener = useRef<HTMLButtonElement>(null)

  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])

  if (isOpen) return <ConfirmPanel {...props} onClose={() => setOpen(false)} />
  return (
    <button ref={opener} type="button" className="button button-quiet" onClick={() => setOpen(true)}>
      {props.label}
      <span className="visually-hidden"> {props.about}</span>
    </button>
  )
}
