import { useIsMutating } from '@tanstack/react-query'

/** Whether a change is sent. To hide its question now would look like a cancellation, and hide a refusal. */
export function useIsSending(): boolean {
  return useIsMutating() > 0
}

/** Closes a question. It is not `disabled` meanwhile, because a disabled button loses the keyboard focus. */
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
