import type { Static } from 'typebox'
import type { User } from '../../server/core/users/schemas.ts'
import { CopyField } from '../shared/components/CopyField.tsx'
import { findValue } from '../shared/format/find-value.ts'
import { moment } from '../shared/format/moment.ts'
import { SERVICE_ROLES } from '../shared/format/role-name.ts'

export function UserDetails({ user }: { user: Static<typeof User> }) {
  return (
    <section className="card" aria-labelledby="user">
      <h2 id="user">{user.banned ? 'Banned' : 'Active'}</h2>
      <dl className="facts">
        <dt>Email address</dt>
        <dd>
          {user.email}, {user.emailVerified ? 'verified' : 'not verified'}
        </dd>
        <dt>Role</dt>
        <dd>{findValue(SERVICE_ROLES, user.role) ?? user.role}</dd>
        <dt>Created</dt>
        <dd>{moment(new Date(user.createdAt))}</dd>
      </dl>
      <CopyField label="Id" value={user.id} />
    </section>
  )
}
