import { Link } from 'wouter'
import type { Statistics } from './statistics.ts'

export function UserCounts({ statistics: { users } }: { statistics: Statistics }) {
  return (
    <dl className="counts">
      <div>
        <dt>Users</dt>
        <dd>
          <Link href="/staff/users">{users.total.toLocaleString()}</Link>
        </dd>
      </div>
      <div>
        <dt>Banned</dt>
        <dd>
          <Link href="/staff/users?filter=is:banned">{users.banned.toLocaleString()}</Link>
        </dd>
      </div>
      <div>
        <dt>With a passkey</dt>
        <dd>{users.withPasskey.toLocaleString()}</dd>
      </div>
    </dl>
  )
}
