import type { ExampleClient } from './example-client.ts'

export const EXAMPLE_PASSWORD = 'plain words for trying out'

export interface ExampleUser {
  email: string
  name: string
  exampleOf: string
}

const ada = { email: 'ada@example.com', name: 'Ada Admin', exampleOf: 'administrator' }
const sam = { email: 'sam@example.com', name: 'Sam Support', exampleOf: 'support' }
const olga = { email: 'olga@example.com', name: 'Olga Owner', exampleOf: 'owner of both organizations' }
const max = { email: 'max@example.com', name: 'Max Manager', exampleOf: 'admin of Example Works' }
const mia = { email: 'mia@example.com', name: 'Mia Member', exampleOf: 'member of both organizations' }
const fred = { email: 'fred@example.com', name: 'Fred Former', exampleOf: 'member, earlier admin, of Example Works' }
const nora = { email: 'nora@example.com', name: 'Nora New', exampleOf: 'no organization, a pending invitation' }
const rita = { email: 'rita@example.com', name: 'Rita Reject', exampleOf: 'no organization, a rejected invitation' }
const una = { email: 'una@example.com', name: 'Una Unverified', exampleOf: 'email address not verified' }
const ben = { email: 'ben@example.com', name: 'Ben Banned', exampleOf: 'banned' }

const EXAMPLE_WORKS = 'example-works'
const SAMPLE_STUDIO = 'sample-studio'

export const EXAMPLE_ADMINISTRATOR = ada
export const EXAMPLE_USERS: ExampleUser[] = [ada, sam, olga, max, mia, fred, nora, rita, una, ben]

/** @param client whose clock is more than seven days behind, so that an invitation expires */
export async function createUsersAndOrganizations(client: ExampleClient): Promise<void> {
  for (const { email, name } of EXAMPLE_USERS) {
    if (email === ada.email) continue
    const role = email === sam.email ? 'support' : 'user'
    const data = { emailVerified: email !== una.email }
    const body = { email, name, password: EXAMPLE_PASSWORD, role, data }
    const { user } = await client.post<{ user: { id: string } }>(ada.email, 'admin/create-user', body)
    if (email === ben.email) await client.post(ada.email, 'admin/ban-user', { userId: user.id, banReason: 'Spam' })
  }
  await client.post(olga.email, 'organization/create', { name: 'Sample Studio', slug: SAMPLE_STUDIO })
  await client.post(olga.email, 'organization/create', { name: 'Example Works', slug: EXAMPLE_WORKS })
  await addMember(client, SAMPLE_STUDIO, mia.email, 'member')
  await addMember(client, EXAMPLE_WORKS, mia.email, 'member')
  await addMember(client, EXAMPLE_WORKS, max.email, 'admin')
  await invite(client, olga.email, 'late@example.com')
}

/** Creates an invitation in each other state, and an API key. @returns the text of the key */
export async function createInvitationsAndApiKey(client: ExampleClient): Promise<string> {
  const fredsMembership = await addMember(client, EXAMPLE_WORKS, fred.email, 'admin')
  await invite(client, fred.email, 'refused@example.com')
  // An invitation is refused when its inviter may no longer invite.
  const demotion = { organizationSlug: EXAMPLE_WORKS, memberId: fredsMembership, role: 'member' }
  await client.post(olga.email, 'organization/update-member-role', demotion)

  await invite(client, max.email, nora.email)
  await invite(client, max.email, 'pending@example.com')
  const rejected = { invitationId: await invite(client, max.email, rita.email) }
  await client.post(rita.email, 'organization/reject-invitation', rejected)
  const canceled = { invitationId: await invite(client, max.email, 'canceled@example.com') }
  await client.post(max.email, 'organization/cancel-invitation', canceled)

  const key = { organizationSlug: EXAMPLE_WORKS, name: 'Example key' }
  return (await client.post<{ key: string }>(olga.email, 'api-key/create', key)).key
}

async function invite(client: ExampleClient, inviter: string, email: string, role = 'member', slug = EXAMPLE_WORKS) {
  const invitation = { organizationSlug: slug, email, role }
  const { id } = await client.post<{ id: string }>(inviter, 'organization/invite-member', invitation)
  return id
}

/** @returns the id of the membership */
async function addMember(client: ExampleClient, slug: string, email: string, role: string): Promise<string> {
  const invitationId = await invite(client, olga.email, email, role, slug)
  const path = 'organization/accept-invitation'
  const { member } = await client.post<{ member: { id: string } }>(email, path, { invitationId })
  return member.id
}
