import type { ReactNode } from 'react'

type ActionButtonProps = {
  kind?: 'main' | 'quiet' | 'danger'
  type?: 'button' | 'submit'
  isPending: boolean
  pendingLabel: string
  onPress?: () => void
  children: ReactNode
}

/**
 * A button for work that takes a moment. While it lasts, pressing again does nothing. It is not `disabled` then: that
 * would take the focus away from those who use the keyboard.
 */
export function ActionButton({
  kind = 'main',
  type = 'button',
  isPending,
  pendingLabel,
  onPress,
  children,
}: ActionButtonProps) {
  return (
    <button
      type={type}
      className={`button button-${kind}`}
      aria-disabled={isPending}
      onClick={(event) => {
        if (isPending) event.preventDefault()
        else onPress?.()
      }}
    >
      {isPending && <span className="spinner" aria-hidden="true" />}
      <span aria-live="polite">{isPending ? pendingLabel : children}</span>
    </button>
  )
}
