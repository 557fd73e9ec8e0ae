import { usePathname } from 'wouter/use-browser-location'

/**
 * @returns a function that says whether the browser still shows the page of the component. A request may take long, and the
 * user may have gone to another page and type there: its response must not navigate.
 */
export function useIsOnPage(): () => boolean {
  const path = usePathname()
  return () => location.pathname === path
}
