import { Redirect } from 'wouter'

export function Staff() {
  return <Redirect to="/staff/users" replace />
}
