import { Redirect } from '../routing/Redirect.tsx'

export function Home() {
  return <Redirect to="/account" />
}
