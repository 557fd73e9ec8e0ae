import { useState } from 'react'
import { refreshPages } from '../api/queries.ts'
import { mayLeave } from './may-leave.ts'
import { useWarningBeforeLeaving } from './use-warning-before-leaving.ts'

export type ShownOnce<Result> = ReturnType<typeof useShownOnce<Result>>

/**
 * A result that no other page shows, such as a new API key. The page asks before the user leaves it, also while the request
 * is sent: its response would be lost.
 * @param isSecret whether a result can't be shown again
 */
export function useShownOnce<Result>(isSecret: (result: Result) => boolean = () => true) {
  const [shown, setShown] = useState<Result | null>(null)
  const [isStored, setStored] = useState(false)
  const [sentCount, setSentCount] = useState(0)
  useWarningBeforeLeaving(sentCount > 0 || (shown !== null && !isStored))

  /** @returns null if the user stays on the page to store another result first */
  async function send(request: () => Promise<Result>): Promise<Result | null> {
    if (!mayLeave()) return null
    setSentCount((count) => count + 1)
    try {
      return await request()
    } finally {
      setSentCount((count) => count - 1)
    }
  }

  /** Shows the response to `send` at the top of the page. */
  async function show(result: Result | null): Promise<void> {
    if (result === null) return
    setShown(result)
    setStored(!isSecret(result))
    scrollTo(0, 0)
    await refreshPages()
  }

  return { shown, send, show, confirmation: { isStored, onStored: setStored, onClose: () => setShown(null) } }
}
