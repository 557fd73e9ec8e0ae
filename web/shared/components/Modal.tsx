import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'

type ModalProps = {
  heading: string
  /** Whether the dialog hides the page behind it. */
  isOpaque?: boolean
  onCancel: () => void
  children: ReactNode
}

export function Modal({ heading, isOpaque = false, onCancel, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()

  useLayoutEffect(() => {
    const opened = dialog.current
    opened?.showModal()
    // Closing returns the focus, as long as the dialog is still in the document.
    return () => opened?.close()
  }, [])

  return (
    <dialog
      ref={dialog}
      className={isOpaque ? 'card dialog dialog-opaque' : 'card dialog'}
      aria-labelledby={id}
      onCancel={onCancel}
    >
      <h2 id={id}>{heading}</h2>
      {children}
    </dialog>
  )
}
