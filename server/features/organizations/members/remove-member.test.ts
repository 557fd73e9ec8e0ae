import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../../../../test/support/bearer-client.ts'
import { secondProcess } from '../../../../test/support/second-process.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administratorWithOrganization, member, memberIdOf, newEmail } from '../../../../test/support/users.ts'

const REMOVE = '/api/auth/organization/remove-member'

onEachDatabase('remove-member', (service) => {
  const getSecond = secondProcess(service)

  test('remove-member finds the member by id and by email address in any case', async () => {
    const founder = await administratorWithOrganization(service())
    const one = await member(service(), founder)
    const other = await member(service(), founder)
    const byId = await founder.client.post(REMOVE, { memberIdOrEmail: await memberIdOf(one) })
    assert.equal(byId.status, 200)
    assert.deepEqual([byId.body.member.userId, byId.body.member.role], [one.id, 'member'])
    const byAddress = await founder.client.post(REMOVE, { memberIdOrEmail: ` ${other.email.toUpperCase()} ` })
    assert.equal(byAddress.body.member.userId, other.id)
    const again = await founder.client.post(REMOVE, { memberIdOrEmail: other.email })
    assert.deepEqual([again.status, again.body.code, again.body.field], [404, 'MEMBER_NOT_FOUND', 'memberIdOrEmail'])
    assert.equal((await founder.client.post(REMOVE, { memberIdOrEmail: newEmail() })).status, 404)
    assert.equal((await founder.client.post(REMOVE, { memberIdOrEmail: 'a@b@c' })).body.code, 'INVALID_EMAIL')
  })

  test('CVE-2024-46999: remove-member takes effect with the next request, in another process too', async () => {
    const founder = await administratorWithOrganization(service())
    const colleague = await member(service(), founder, 'admin')
    const path = `/api/token?org=${founder.organization.slug}`
    const elsewhere = bearerClient(await getSecond(), colleague)
    // Twice, so that both processes have the membership in their caches.
    for (const client of [elsewhere, colleague.client, elsewhere, colleague.client])
      assert.equal((await client.get(path)).status, 200)
    await founder.client.post(REMOVE, { memberIdOrEmail: colleague.email })
    assert.equal((await elsewhere.get(path)).status, 404)
    assert.equal((await colleague.client.get(path)).status, 404)
    assert.equal((await elsewhere.get('/api/auth/token')).body.code, 'NO_ACTIVE_ORGANIZATION')
    const still = await colleague.client.post('/api/auth/organization/invite-member', {
      email: newEmail(),
      role: 'member',
      organizationId: founder.organization.id,
    })
    assert.equal(still.status, 404)
  })

  test('remove-member needs an owner or admin, an owner to remove owners, and keeps the last owner', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const plain = await member(service(), founder)
    const refused = await plain.client.post(REMOVE, { memberIdOrEmail: admin.email })
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
    const ofOwner = await admin.client.post(REMOVE, { memberIdOrEmail: founder.email })
    assert.deepEqual([ofOwner.status, ofOwner.body.code], [403, 'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER'])
    const last = await founder.client.post(REMOVE, { memberIdOrEmail: founder.email })
    assert.deepEqual([last.status, last.body.code], [400, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'])
    assert.equal((await admin.client.post(REMOVE, { memberIdOrEmail: plain.email })).status, 200)
  })

  test('An owner who is removed gets the email also when the organization is deleted immediately afterwards', async () => {
    const founder = await administratorWithOrganization(service())
    const partner = await member(service(), founder, 'owner')
    await founder.client.post(REMOVE, { memberIdOrEmail: partner.email })
    const deletion = { organizationId: founder.organization.id }
    assert.equal((await founder.client.post('/api/auth/organization/delete', deletion)).status, 200)
    const subjects = (await service().emails(partner.email)).map(({ subject }) => subject)
    assert.deepEqual(subjects, ['You are no longer an owner of Example Works'])
  })

  test('Two concurrent remove-member calls of two owners leave one owner', async () => {
    const second = await getSecond()
    for (let round = 0; round < 5; round += 1) {
      const founder = await administratorWithOrganization(service())
      const partner = await member(service(), founder, 'owner')
      const organizationId = founder.organization.id
      const answers = await Promise.all([
        bearerClient(service(), founder).post(REMOVE, { memberIdOrEmail: partner.email, organizationId }),
        bearerClient(second, partner).post(REMOVE, { memberIdOrEmail: founder.email, organizationId }),
      ])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404])
    }
  })
})
