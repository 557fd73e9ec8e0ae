import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'

/**
 * Whether a page waits for the first load of cards that would move the others. A request that failed once may fail for
 * long, and the page does not wait for it. Later, a new card moves the others rather than taking a form with its input
 * away.
 */
export function useFirstLoad(queries: UseQueryResult[]): boolean {
  const isLoading = queries.some(({ isLoading, failureCount }) => isLoading && failureCount === 0)
  const [hasLoaded, setLoaded] = useState(false)
  if (!isLoading && !hasLoaded) setLoaded(true)
  return isLoading && !hasLoaded
}
