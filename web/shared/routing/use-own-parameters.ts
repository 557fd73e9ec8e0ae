import { useSearchParams } from 'wouter'
import { useIsOnPage } from './use-is-on-page.ts'

/** The parameters of the address, which only the page that has read them sets. */
export function useOwnParameters(): ReturnType<typeof useSearchParams> {
  const [parameters, setParameters] = useSearchParams()
  const isOnPage = useIsOnPage()

  return [parameters, (next, options) => isOnPage() && setParameters(next, options)]
}
