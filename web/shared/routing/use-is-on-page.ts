import { usePathname } from 'wouter/use-browser-location'

/**
 * @param area a path, for all pages below it; by default the page of the component
 * @returns a function that says whether the browser still shows it. A request may take long, and the user may have gone to
 * another page and type there: its response must not navigate.
 */
export function useIsOnPage(area?: string): () => boolean {
  const path = usePathname()
  return () => (area === undefined ? location.pathname === path : `${location.pathname}/`.startsWith(`${area}/`))
}
