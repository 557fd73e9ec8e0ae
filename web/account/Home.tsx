import { Redirect } from '../shared/routing/Redirect.tsx'

export function Home() {
  return <Redirect to="/account" />
}
