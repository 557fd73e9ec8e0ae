import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../../test/support/client.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administratorWithOrganization,
  type Invited,
  invitationLink,
  invite,
  signUp,
  type TestMember,
} from '../../../../test/support/users.ts'

const ORGANIZATION = '/api/auth/organization'

onEachDatabase('The cookie of an invitation', (service) => {
  /** @returns the path of the new link */
  async function sendAgain({ client }: TestMember, { email }: Invited): Promise<string> {
    const { status } = await client.post(`${ORGANIZATION}/invite-member`, { email, role: 'member', resend: true })
    assert.equal(status, 200)
    return invitationLink(service(), email)
  }
  const cancel = ({ client }: TestMember, { invitationId }: Invited) =>
    client.post(`${ORGANIZATION}/cancel-invitation`, { invitationId })

  async function openRefused(client: Client, linkPath: string): Promise<void> {
    const { headers } = await client.get(linkPath)
    assert.match(headers.get('location') ?? '', /^\/invitation\?error=/)
  }
  const openedId = async (client: Client) => (await client.get('/api/invitation')).body?.invitation.id

  test('A refused link leaves the cookie of another link, also of the same invitation', async () => {
    const founder = await administratorWithOrganization(service())
    const invited = await invite(service(), founder)
    const other = await invite(service(), founder)
    const newLink = await sendAgain(founder, invited)
    await cancel(founder, other)
    const client = service().client()
    await client.get(newLink)
    for (const linkPath of [invited.linkPath, other.linkPath, `${newLink}x`, '/invite/forged']) {
      await openRefused(client, linkPath)
      assert.equal(await openedId(client), invited.invitationId, linkPath)
    }
  })

  test('A refused link clears the cookie that names it', async () => {
    const founder = await administratorWithOrganization(service())
    const invited = await invite(service(), founder)
    const client = service().client()
    await client.get(invited.linkPath)
    await cancel(founder, invited)
    await openRefused(client, invited.linkPath)
    assert.equal(client.cookies.has('invitation'), false)
  })

  for (const route of ['accept-invitation', 'reject-invitation']) {
    test(`${route} leaves the cookie of another invitation`, async () => {
      const founder = await administratorWithOrganization(service())
      const [invited, other] = [await invite(service(), founder), await invite(service(), founder)]
      const { client } = await signUp(service(), invited)
      await client.get(other.linkPath)
      const { status } = await client.post(`${ORGANIZATION}/${route}`, { invitationId: invited.invitationId })
      assert.deepEqual([status, await openedId(client)], [200, other.invitationId])
    })

    test(`${route} clears the cookie of the invitation, also of an older link`, async () => {
      const founder = await administratorWithOrganization(service())
      const invited = await invite(service(), founder)
      const { client } = await signUp(service(), invited)
      assert.ok(client.cookies.has('invitation'))
      await sendAgain(founder, invited)
      const { status } = await client.post(`${ORGANIZATION}/${route}`, { invitationId: invited.invitationId })
      assert.deepEqual([status, client.cookies.has('invitation')], [200, false])
    })
  }
})
