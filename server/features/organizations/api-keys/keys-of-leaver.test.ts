import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  type TestMember,
} from '../../../../test/support/users.ts'
import { addMember } from '../../../core/memberships/add-member.ts'

const ORGANIZATION = '/api/auth/organization'

onEachDatabase('API keys of a leaving member', (service) => {
  const create = async ({ client, organization }: TestMember, name: string, more: Record<string, unknown> = {}) => {
    const answer = await client.post('/api/auth/api-key/create', { name, organizationId: organization.id, ...more })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const works = async (key: string) => (await service().client().post('/api/auth/api-key/verify', { key })).body.valid
  const names = (keys: { name: string }[]) => keys.map(({ name }) => name)

  test('remove-member keeps the API keys of the member by default and lists the usable ones', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const key = await create(admin, 'Nightly export')
    const short = await create(admin, 'Short', { expiresIn: 60 })
    const disabled = await create(admin, 'Disabled')
    await admin.client.post('/api/auth/api-key/update', { keyId: disabled.id, enabled: false })
    await create(founder, 'Of the owner')
    service().advance(120_000)
    const { status, body } = await founder.client.post(`${ORGANIZATION}/remove-member`, {
      memberIdOrEmail: admin.email,
    })
    assert.equal(status, 200)
    const { id: organizationId, name: organizationName } = founder.organization
    assert.deepEqual(body.apiKeys, [
      { id: key.id, name: key.name, role: 'member', organizationId, expiresAt: null, organizationName },
    ])
    assert.deepEqual(body.revokedApiKeys, [])
    assert.equal(body.member.userId, admin.id)
    assert.deepEqual([await works(key.key), await works(short.key)], [true, false])
  })

  test('api-key/list names the creator of each API key, and says whether the creator is still a member', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    await create(admin, 'One')
    const creator = async () => {
      const query = `organizationId=${founder.organization.id}&sortBy=createdAt`
      const { status, body } = await founder.client.get(`/api/auth/api-key/list?${query}`)
      assert.deepEqual([status, body.total], [200, 1])
      return body.apiKeys[0].createdBy
    }
    assert.deepEqual(await creator(), { userId: admin.id, name: 'Hilda Hire', isMember: true })
    await admin.client.post(`${ORGANIZATION}/leave`, { organizationId: founder.organization.id })
    assert.deepEqual(await creator(), { userId: admin.id, name: 'Hilda Hire', isMember: false })
  })

  test('remove-member with revokeApiKeys needs a fresh session and revokes only the API keys of the member in the organization', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const [key, disabled] = [await create(admin, 'One'), await create(admin, 'Disabled')]
    await admin.client.post('/api/auth/api-key/update', { keyId: disabled.id, enabled: false })
    const own = await create(founder, 'Of the owner')
    const elsewhere = await administratorWithOrganization(service())
    const { context } = service()
    const membership = { organizationId: elsewhere.organization.id, userId: admin.id, role: 'admin' } as const
    await addMember(context.database, context, membership)
    const foreign = await create({ ...admin, organization: elsewhere.organization }, 'Elsewhere')
    const remove = { memberIdOrEmail: admin.email, revokeApiKeys: true, organizationId: founder.organization.id }
    service().advance(16 * 60_000)
    const stale = await founder.client.post(`${ORGANIZATION}/remove-member`, remove)
    assert.deepEqual([stale.status, stale.body.code], [403, 'SESSION_NOT_FRESH'])
    assert.equal(await works(key.key), true)
    const { client } = await administrator(service())
    const { status, body } = await client.post(`${ORGANIZATION}/remove-member`, remove)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([body.apiKeys, names(body.revokedApiKeys).sort()], [[], ['Disabled', 'One']])
    assert.deepEqual([await works(key.key), await works(own.key), await works(foreign.key)], [false, true, true])
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select(['subjectId', 'organizationId'])
      .where('action', '=', 'api-key.deleted')
      .where('subjectId', 'in', [key.id, disabled.id])
      .execute()
    assert.deepEqual(
      events.map(({ organizationId }) => organizationId),
      [founder.organization.id, founder.organization.id],
    )
  })

  test('leave lists or revokes the API keys of the caller when the role may', async () => {
    const founder = await administratorWithOrganization(service())
    const organizationId = founder.organization.id
    const [one, two, demoted] = [
      await member(service(), founder, 'admin'),
      await member(service(), founder, 'admin'),
      await member(service(), founder, 'admin'),
    ]
    const [keyOfOne, keyOfTwo, keyOfDemoted] = [
      await create(one, '1'),
      await create(two, '2'),
      await create(demoted, '3'),
    ]
    const left = await one.client.post(`${ORGANIZATION}/leave`, { organizationId })
    assert.deepEqual([names(left.body.apiKeys), left.body.revokedApiKeys], [['1'], []])
    const revoked = await two.client.post(`${ORGANIZATION}/leave`, { organizationId, revokeApiKeys: true })
    assert.deepEqual([revoked.body.apiKeys, names(revoked.body.revokedApiKeys)], [[], ['2']])
    const { body } = await demoted.client.get(`${ORGANIZATION}/get-active-member`)
    await founder.client.post(`${ORGANIZATION}/update-member-role`, { memberId: body.id, role: 'member' })
    const refused = await demoted.client.post(`${ORGANIZATION}/leave`, { organizationId, revokeApiKeys: true })
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
    const silent = await demoted.client.post(`${ORGANIZATION}/leave`, { organizationId })
    assert.deepEqual([silent.status, silent.body.apiKeys, silent.body.revokedApiKeys], [200, [], []])
    assert.deepEqual(
      [await works(keyOfOne.key), await works(keyOfTwo.key), await works(keyOfDemoted.key)],
      [true, false, true],
    )
  })

  test('remove-user lists or revokes the API keys of the user in all organizations', async () => {
    const founder = await administratorWithOrganization(service())
    for (const revokeApiKeys of [false, true]) {
      const admin = await member(service(), founder, 'admin')
      const key = await create(admin, 'Export')
      const own = await admin.client.post(`${ORGANIZATION}/create`, { name: 'Own', slug: `own-${admin.id.slice(4)}` })
      await create({ ...admin, organization: own.body }, 'Goes with its organization')
      const staff = await administrator(service())
      const { status, body } = await staff.client.post('/api/auth/admin/remove-user', {
        userId: admin.id,
        revokeApiKeys,
      })
      assert.equal(status, 200, JSON.stringify(body))
      const [usable, revoked] = [names(body.apiKeys), names(body.revokedApiKeys)]
      assert.deepEqual(
        [body.success, usable, revoked],
        [true, ...(revokeApiKeys ? [[], ['Export']] : [['Export'], []])],
      )
      assert.equal(await works(key.key), !revokeApiKeys)
    }
  })
})
