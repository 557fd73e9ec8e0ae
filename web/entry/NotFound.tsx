import { Refused } from './Refused.tsx'

/** The server has answered such an address already; this is for those that the pages themselves lead to. */
export function NotFound() {
  return <Refused code="NOT_FOUND" />
}
