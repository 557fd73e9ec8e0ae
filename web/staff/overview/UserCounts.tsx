import { Link } from 'wouter'
import { number } from '../../shared/format/number.ts'
import type { Statistics } from './statistics.ts'

export function UserCounts({ statistics: { users } }: { statistics: Statistics }) {
  return (
    <dl className="counts">
      <div>
        <dt>Users</dt>
        <dd>
          <Link href="/staff/users">{number(users.total)}</Link>
        </dd>
      </div>
      <div>
        <dt>Banned</dt>
        <dd>
          <Link href="/staff/users?filter=is:banned">{number(users.banned)}</Link>
        </dd>
      </div>
      <div>
        <dt>With a passkey</dt>
        <dd>
          <Link href="/staff/users?filter=has:passkey">{number(users.withPasskey)}</Link>
        </dd>
      </div>
    </dl>
  )
}
