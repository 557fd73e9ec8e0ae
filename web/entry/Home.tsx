import { Redirect } from 'wouter'

export function Home() {
  return <Redirect to="/account" replace />
}
