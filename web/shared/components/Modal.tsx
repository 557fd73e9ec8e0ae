import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { useIsDialogSending } from '../api/use-is-sending.ts'

type ModalProps = {
  heading: string
  /** Whether the dialog hides the page behind it. */
  isOpaque?: boolean
  cancelLabel: string
  onCancel: () => void
  children: ReactNode
}

/** While a dialog sends its answer, it stays: a late response would answer a question that is no longer there. */
export function Modal({ heading, isOpaque = false, cancelLabel, onCancel, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const isSending = useIsDialogSending()

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
      onCancel={(event) => (isSending ? event.preventDefault() : onCancel())}
      // Browsers close a dialog when Escape is pressed twice, also if the first one was prevented.
      onClose={() => isSending && dialog.current?.showModal()}
    >
      <h2 id={id}>{heading}</h2>
      {children}
      <button
        type="button"
        className="button button-quiet"
        aria-disabled={isSending}
        onClick={() => !isSending && onCancel()}
      >
        {cancelLabel}
      </button>
    </dialog>
  )
}
