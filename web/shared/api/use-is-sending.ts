import { useIsMutating } from '@tanstack/react-query'

/** Whether a change is being sent. Its question stays until the response: a closed question looks canceled. */
export function useIsSending(): boolean {
  return useIsMutating() > 0
}
