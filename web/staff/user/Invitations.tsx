import { InvitationList, type InvitationPage } from '../common/InvitationList.tsx'
import { usePage } from '../common/use-page.ts'
import type { StaffUser } from './queries.ts'

export function Invitations({ user: { email } }: { user: StaffUser }) {
  return <InvitationList {...usePage<InvitationPage>('list-invitations', { email, emailOperator: 'eq' })} />
}
