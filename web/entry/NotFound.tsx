import { Refused } from './Refused.tsx'

/** For a wrong link inside the pages. The server refuses unknown addresses itself. */
export function NotFound() {
  return <Refused code="NOT_FOUND" />
}
