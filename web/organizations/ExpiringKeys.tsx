import { Link } from 'wouter'
import { Notice } from '../shared/components/Notice.tsx'
import { day } from '../shared/format/moment.ts'
import type { Overview } from './queries.ts'

/** API keys that expire in the next 14 days. */
export function ExpiringKeys({ overview: { organization, expiringApiKeys } }: { overview: Overview }) {
  if (expiringApiKeys.length === 0) return null
  return (
    <Notice kind="information">
      <p>
        <strong>
          {expiringApiKeys.length === 1
            ? 'An API key expires soon.'
            : `${expiringApiKeys.length} API keys expire soon.`}
        </strong>{' '}
        Rotate {expiringApiKeys.length === 1 ? 'it' : 'them'}, so that your programs go on.
      </p>
      <ul>
        {expiringApiKeys.map(({ id, name, expiresAt }) => (
          <li key={id}>
            <Link href={`/organizations/${organization.slug}/api-keys?sort=expiresAt&direction=asc&open=${id}`}>
              {name}
            </Link>
            {expiresAt !== null && ` expires on ${day(new Date(expiresAt))}`}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
