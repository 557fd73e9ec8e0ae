import { useIsMutating } from '@tanstack/react-query'

/** Whether a change is being sent. Its question stays until the response: a closed question looks canceled. */
export function useIsSending(): boolean {
  return useIsMutating() > 0
}

/** Closes a question. During a request it is not `disabled`, because a disabled button loses the keyboard focus. */
export function CancelButton({ onCancel }: { onCancel: () => void }) {
  const isSending = useIsSending()
  return (
    <button
      type="button"
      className="button button-quiet"
      aria-disabled={isSending}
      onClick={() => !isSending && onCancel()}
    >
      Cancel
    </button>
  )
}
