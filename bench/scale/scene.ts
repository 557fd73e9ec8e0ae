import { SESSION_COOKIE } from '../../server/platform/http/cookies.ts'
import type { Service } from '../../test/support/service.ts'
import type { TestMember } from '../../test/support/users.ts'
import { idOf, organizationCount, organizationOf, SESSIONS_PER_USER, tokenOf, USERS_PER_ORGANIZATION } from './names.ts'
import { openSession, restoreUser } from './restore.ts'

/** Gives each request another user of the population. */
export interface Scene {
  service: Service
  context: Service['context']
  /** The number of seeded users. */
  users: number
  admin(): Promise<TestMember>
  /** A verified user of an organization, without a second step, whose session is fresh. */
  user(): Promise<TestMember>
  /** The same, for a change after which other requests can't use the user. */
  disposableUser(): Promise<TestMember>
  /** The owner of an organization of a hundred members. */
  owner(): Promise<TestMember>
  /** The owner of the organization of a user. */
  ownerFor(user: TestMember): Promise<TestMember>
  /** Another number each time, for new names. */
  next(): number
}

/** Coprime to the sizes, so that consecutive requests read distant rows. */
const STRIDE = 7_919

export function createScene(service: Service, users: number): Scene {
  const { context } = service
  const half = users / 2
  // Another run on the same database uses other users first.
  const start = context.now() % half
  let count = 0
  let disposed = 0
  let owners = 0

  async function open(number: number): Promise<TestMember> {
    const id = idOf('usr', number)
    const organizationId = idOf('org', organizationOf(number))
    const seededToken = tokenOf('session', (number - 1) * SESSIONS_PER_USER + 1)
    const token = await openSession(context, id, organizationId, seededToken)
    const { email } = await context.database
      .selectFrom('users')
      .select('email')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const client = service.client()
    client.cookies.set(SESSION_COOKIE, token)
    const slug = `organization-${organizationOf(number)}`
    return { client, id, email, token, organization: { id: organizationId, slug, name: slug } }
  }

  const ownerOf = (organizationNumber: number) => (organizationNumber - 1) * USERS_PER_ORGANIZATION + 1

  return {
    service,
    context,
    users,
    admin: () => open(1),
    async user() {
      for (;;) {
        const number = 1 + ((start + count++ * STRIDE) % half)
        if (isOrdinary(number)) return open(number)
      }
    },
    async disposableUser() {
      for (let tried = 0; tried < half; tried += 1) {
        const number = half + 1 + ((start + disposed++ * STRIDE) % half)
        if (isOrdinary(number) && (await restoreUser(context, number))) return open(number)
      }
      throw new Error(`All users of the second half of ${users} are deleted`)
    },
    owner: () => open(ownerOf(1 + ((start + owners++ * STRIDE) % (organizationCount(users) / 2)))),
    ownerFor: ({ organization }) => open(ownerOf(Number(organization.slug.replace('organization-', '')))),
    next: () => count++,
  }
}

/** Whether a user is verified, not banned, without a second step, and neither owner nor admin of an organization. */
function isOrdinary(number: number): boolean {
  return number % 8 !== 3 && number % 500 !== 7 && number % 20 !== 9 && number % USERS_PER_ORGANIZATION > 2
}
