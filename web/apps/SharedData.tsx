import { findValue } from '../shared/format/find-value.ts'
import { roleWithArticle } from '../shared/format/role-with-article.ts'
import type { OAuthClient, OrganizationChoice } from '../shared/interaction/interaction.ts'

type Known = {
  client: OAuthClient
  user: { name: string; email: string; image?: string | null | undefined }
  /** The organizations to choose from, or the chosen organization. */
  organizations: OrganizationChoice[]
}

type SharedDataProps = Known & { scopes: string[] }

/** A value of the user. A note stands for a value that the user would not understand. */
type Item = { term: string; value?: string; note?: string }

export function SharedData({ scopes, ...known }: SharedDataProps) {
  const { name } = known.client
  const items = withoutDuplicates(
    sorted(scopes).flatMap((scope) => findValue(ITEMS, scope)?.(known) ?? { term: 'Permission', value: scope }),
  )
  return (
    <section className="shared-data" aria-labelledby="shared-data">
      <h2 id="shared-data">What {name} gets</h2>
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
      <p className="soft">You can end this at any time, under Security in “Apps with access”.</p>
    </section>
  )
}

/** What each scope gives to the app. The page shows the scopes in this order. */
const ITEMS: Record<string, (known: Known) => Item[]> = {
  profile: ({ user }) => [
    nameOf(user),
    ...(user.image ? [{ term: 'Your picture', note: 'The one of your account' }] : []),
  ],
  email: ({ user }) => [emailOf(user)],
  // Services accept a token of the app as a token of the user, so it has the name and the email address too.
  organization: ({ client, user, organizations }) => [
    nameOf(user),
    emailOf(user),
    itemOf(client, organizations),
    { term: 'What it may do', note: 'Use the services of your organization as you can' },
  ],
  openid: () => [{ term: 'Your user id', note: 'So that it knows you when you come back' }],
  offline_access: () => [{ term: 'How long', note: 'Until you sign out here, also while you don’t use it' }],
}

const nameOf = ({ name }: Known['user']): Item => ({ term: 'Your name', value: name })
const emailOf = ({ email }: Known['user']): Item => ({ term: 'Your email address', value: email })

/** A client of an organization is for its members only, so its organization is known before the user chooses. */
function itemOf({ organizationName }: OAuthClient, [organization, ...others]: OrganizationChoice[]): Item {
  const term = 'Your organization'
  if (others.length > 0) return { term, note: 'The one that you choose, and your role in it' }
  if (organization)
    return { term, value: organization.name, note: `, where you are ${roleWithArticle(organization.role)}` }
  if (organizationName !== null) return { term, value: organizationName, note: ', and your role in it' }
  return { term, note: 'Its name, and your role in it' }
}

function withoutDuplicates(items: Item[]): Item[] {
  return [...new Map(items.map((item) => [`${item.term} ${item.value}`, item])).values()]
}

function sorted(scopes: string[]): string[] {
  const order = Object.keys(ITEMS)
  return scopes.toSorted((one, other) => order.indexOf(one) - order.indexOf(other))
}
