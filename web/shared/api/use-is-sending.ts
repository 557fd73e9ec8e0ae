import { useIsMutating, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

/** Whether a change is being sent. Its question stays until the response: a closed question looks canceled. */
export function useIsSending(): boolean {
  return useIsMutating() > 0
}

/** Whether a dialog sends a change. The change that waits for the dialog began before, and does not count. */
export function useIsDialogSending(): boolean {
  const client = useQueryClient()
  const [waiting] = useState(() => client.getMutationCache().findAll({ status: 'pending' }))
  return useIsMutating({ predicate: (mutation) => !waiting.includes(mutation) }) > 0
}
