import { useIsSending } from '../api/use-is-sending.ts'

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
