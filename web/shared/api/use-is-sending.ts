import { type Mutation, useIsMutating, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

/** Whether a change is being sent. Its question stays until the response: a closed question looks canceled. */
export function useIsSending(): boolean {
  return useIsMutating() > 0
}

/** The key of a change that first waits for an authenticator, which may take minutes. */
export const CEREMONY_KEY = ['passkey ceremony']

/**
 * Whether a dialog sends a change. The change that waits for the dialog began before, and does not count. The user can
 * leave a dialog that waits for an authenticator.
 */
export function useIsDialogSending(): boolean {
  const client = useQueryClient()
  const [waiting] = useState(() => client.getMutationCache().findAll({ status: 'pending' }))
  const isOfDialog = (mutation: Mutation) =>
    !waiting.includes(mutation) && mutation.options.mutationKey !== CEREMONY_KEY
  return useIsMutating({ predicate: isOfDialog }) > 0
}
