import { breakAfterAt } from '../../shared/components/break-after-at.tsx'
import { CopyField } from '../../shared/components/CopyField.tsx'
import { moment } from '../../shared/format/moment.ts'
import { serviceRoleName } from '../../shared/format/role-name.ts'
import type { StaffUser } from './queries.ts'

export function UserFacts({ user }: { user: StaffUser }) {
  return (
    <section className="card" aria-labelledby="facts">
      <h2 id="facts">Account</h2>
      <dl className="facts">
        <dt>Name</dt>
        <dd>{user.name}</dd>
        <dt>Email address</dt>
        <dd>
          {breakAfterAt(user.email)}, {user.emailVerified ? 'verified' : 'not verified'}
        </dd>
        <dt>Role</dt>
        <dd>{serviceRoleName(user.role)}</dd>
        <dt>State</dt>
        <dd>{user.banned ? 'Banned' : 'Active'}</dd>
        <dt>Two-step verification</dt>
        <dd>{user.twoFactorEnabled ? 'On' : 'Off'}</dd>
        <dt>Created</dt>
        <dd>{moment(new Date(user.createdAt))}</dd>
        <dt>Changed</dt>
        <dd>{moment(new Date(user.updatedAt))}</dd>
      </dl>
      <CopyField label="Id" value={user.id} />
    </section>
  )
}
