import { findValue } from '../shared/format/find-value.ts'
import { roleWithArticle } from '../shared/format/role-with-article.ts'
import type { OrganizationChoice } from '../shared/interaction/interaction.ts'

type Known = {
  user: { name: string; email: string; image?: string | null | undefined }
  organizations: OrganizationChoice[]
}

type SharedDataProps = Known & { appName: string; scopes: string[] }

/** A value of the user, or a note about a value that tells them nothing. */
type Item = { term: string; value?: string; note?: string }

/** What the app will see, with the values of the user. */
export function SharedData({ appName, scopes, ...known }: SharedDataProps) {
  const items = sorted(scopes).flatMap(
    (scope) => findValue(ITEMS, scope)?.(known) ?? { term: 'Permission', value: scope },
  )
  return (
    <section className="shared-data" aria-label={`What ${appName} will see`}>
      <h2>{appName} will see</h2>
      <dl className="facts">
        {items.map(({ term, value, note }) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>
              {value !== undefined && <strong>{value}</strong>}
              {note}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** In this order. */
const ITEMS: Record<string, (known: Known) => Item[]> = {
  profile: ({ user }) => [
    { term: 'Your name', value: user.name },
    ...(user.image ? [{ term: 'Your picture', note: 'The one of your account' }] : []),
  ],
  email: ({ user }) => [{ term: 'Your email address', value: user.email }],
  organization: ({ organizations }) => [itemOf(organizations)],
  openid: () => [{ term: 'Your user id', note: 'So that it knows you when you come back' }],
  offline_access: () => [{ term: 'How long', note: 'Until you sign out here, also while you don’t use it' }],
}

function itemOf([organization, ...others]: OrganizationChoice[]): Item {
  const term = 'Your organization'
  if (organization === undefined) return { term, note: 'You are in none' }
  if (others.length > 0) return { term, note: 'The one that you choose, and your role in it' }
  return { term, value: organization.name, note: `, where you are ${roleWithArticle(organization.role)}` }
}

function sorted(scopes: string[]): string[] {
  const order = Object.keys(ITEMS)
  return scopes.toSorted((one, other) => order.indexOf(one) - order.indexOf(other))
}
