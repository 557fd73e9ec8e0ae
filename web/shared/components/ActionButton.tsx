import type { ReactNode } from 'react'

type ActionButtonProps = {
  kind?: 'main' | 'quiet' | 'danger'
  type?: 'button' | 'submit'
  isPending: boolean
  pendingLabel: string
  /** Whether an action is pending that this one contradicts. */
  isOff?: boolean
  /** Whether the user has seen the button (`useWasSeen`). Before, it does nothing, and looks as always. */
  wasSeen?: boolean
  onPress?: () => void
  children: ReactNode
}

/**
 * A button of an action that takes a moment. While the action is pending, the button does nothing. It is not `disabled`,
 * because a disabled button loses the keyboard focus. The second click of a double click may come before `isPending`.
 */
export function ActionButton({
  kind = 'main',
  type = 'button',
  isPending,
  pendingLabel,
  isOff = false,
  wasSeen = true,
  onPress,
  children,
}: ActionButtonProps) {
  const doesNothing = isPending || isOff || !wasSeen
  return (
    <button
      type={type}
      className={`${wasSeen ? '' : 'unseen '}button button-${kind}`}
      aria-disabled={doesNothing}
      onClick={(event) => {
        if (doesNothing || event.detail > 1) event.preventDefault()
        else onPress?.()
      }}
    >
      {isPending && <span className="spinner" aria-hidden="true" />}
      <span aria-live="polite">{isPending ? pendingLabel : children}</span>
    </button>
  )
}
