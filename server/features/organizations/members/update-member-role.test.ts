import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { bearerClient } from '../../../../test/support/bearer-client.ts'
import { secondProcess } from '../../../../test/support/second-process.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administratorWithOrganization,
  member,
  memberIdOf,
  newEmail,
  type TestMember,
} from '../../../../test/support/users.ts'

const UPDATE = '/api/auth/organization/update-member-role'

onEachDatabase('update-member-role', (service) => {
  const getSecond = secondProcess(service)

  test('update-member-role takes effect with the next request, in another process too', async () => {
    const founder = await administratorWithOrganization(service())
    const colleague = await member(service(), founder)
    const memberId = await memberIdOf(colleague)
    const elsewhere = bearerClient(await getSecond(), colleague)
    for (const role of ['admin', 'owner', 'member']) {
      const changed = await founder.client.post(UPDATE, { memberId, role })
      assert.deepEqual([changed.status, changed.body.role, changed.body.member.role], [200, role, role])
      const { token } = (await elsewhere.get(`/api/token?org=${founder.organization.slug}`)).body
      assert.equal(decodeJwt(token).org_role, role)
      const may = await elsewhere.post('/api/auth/organization/has-permission', { permissions: { member: ['update'] } })
      assert.equal(may.body.success, role !== 'member')
    }
  })

  test('An owner who is demoted or removed by another owner gets an email, and other members get none', async () => {
    const founder = await administratorWithOrganization(service())
    const told = async ({ email }: TestMember) =>
      (await service().emails(email)).map(({ subject, text }) => [subject, text])
    const [demoted, removed] = [await member(service(), founder, 'owner'), await member(service(), founder, 'owner')]
    const changed = await founder.client.post(UPDATE, { memberId: await memberIdOf(demoted), role: 'admin' })
    assert.equal(changed.status, 200)
    const remove = (memberIdOrEmail: string) =>
      founder.client.post('/api/auth/organization/remove-member', { memberIdOrEmail })
    assert.equal((await remove(removed.email)).status, 200)
    for (const [user, sentence] of [
      [demoted, 'Ada Admin changed your role in Example Works to admin.'],
      [removed, 'Ada Admin removed you from Example Works.'],
    ] as const) {
      const [[subject, text = ''] = [], ...others] = await told(user)
      assert.equal(subject, 'You are no longer an owner of Example Works')
      assert.ok(text.replaceAll('\n', ' ').includes(sentence), text)
      assert.doesNotMatch(text, /network address/)
      assert.deepEqual(others, [])
    }
    const other = await member(service(), founder, 'admin')
    const memberId = await memberIdOf(other)
    for (const role of ['member', 'owner']) await founder.client.post(UPDATE, { memberId, role })
    await founder.client.post(UPDATE, { memberId, role: 'owner' })
    assert.deepEqual(await told(other), [])
    assert.equal((await remove(await memberIdOf(demoted))).status, 200)
    assert.equal((await told(demoted)).length, 1)
  })

  test('An owner who changes the own role gets an email with the network and the device', async () => {
    const founder = await administratorWithOrganization(service())
    const owner = await member(service(), founder, 'owner')
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0' }
    const body = { memberId: await memberIdOf(owner), role: 'admin' }
    assert.equal((await owner.client.post(UPDATE, body, { headers })).status, 200)
    const [{ subject, text = '' } = {}, ...others] = await service().emails(owner.email)
    assert.equal(subject, 'You are no longer an owner of Example Works')
    const words = text.replaceAll('\n', ' ')
    assert.match(words, /You changed your role in Example Works to admin\.\s+This was on .* with Firefox/)
    assert.ok(words.includes(`from the network address ${owner.client.address}`), words)
    assert.match(words, /If it was not you, change your password/)
    assert.deepEqual(others, [])
  })

  test('A role that the member has already is returned without an audit event', async () => {
    const founder = await administratorWithOrganization(service())
    const memberId = await memberIdOf(await member(service(), founder, 'admin'))
    const { status, body } = await founder.client.post(UPDATE, { memberId, role: 'admin' })
    assert.deepEqual([status, body.role], [200, 'admin'])
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select('id')
      .where('organizationId', '=', founder.organization.id)
      .where('action', '=', 'member.role-set')
      .execute()
    assert.deepEqual(events, [])
  })

  test('CVE-2026-27802, Better Auth #9962: an admin can make no owner, by any route', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const colleague = await member(service(), founder)
    const ids = [await memberIdOf(colleague), await memberIdOf(admin)]
    const refusedRoles = [
      'owner',
      'Owner',
      'owner ',
      'admin,owner',
      'member, owner',
      ['owner'],
      ['member', 'owner'],
      { 0: 'owner' },
    ]
    for (const role of refusedRoles) {
      for (const memberId of ids) {
        const answer = await admin.client.post(UPDATE, { memberId, role })
        assert.ok([400, 403].includes(answer.status), JSON.stringify(role))
      }
      const answer = await admin.client.post('/api/auth/organization/invite-member', { email: newEmail(), role })
      assert.ok([400, 403].includes(answer.status), JSON.stringify(role))
    }
    const key = await admin.client.post('/api/auth/api-key/create', { name: 'key', role: 'owner' })
    assert.equal(key.status, 400)
    const members = await founder.client.get('/api/auth/organization/list-members?filterField=role&filterValue=owner')
    assert.equal(members.body.total, 1)
  })

  test('update-member-role of owners needs an owner and keeps the last owner', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const founderId = await memberIdOf(founder)
    const byAdmin = await admin.client.post(UPDATE, { memberId: founderId, role: 'member' })
    assert.deepEqual([byAdmin.status, byAdmin.body.code], [403, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'])
    const byThemselves = await founder.client.post(UPDATE, { memberId: founderId, role: 'admin' })
    assert.deepEqual(
      [byThemselves.status, byThemselves.body.code],
      [400, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'],
    )
    const unknown = await founder.client.post(UPDATE, { memberId: founderId, role: 'superuser' })
    assert.deepEqual([unknown.status, unknown.body.code, unknown.body.field], [400, 'ROLE_NOT_FOUND', 'role'])
    assert.equal((await founder.client.post(UPDATE, { memberId: founderId, role: 'owner' })).status, 200)
  })

  test('Two concurrent demotions of the last two owners leave one owner', async () => {
    const founder = await administratorWithOrganization(service())
    const partner = await member(service(), founder, 'owner')
    const second = await getSecond()
    const organizationId = founder.organization.id
    const [one, other] = [await memberIdOf(founder), await memberIdOf(partner)]
    const answers = await Promise.all([
      bearerClient(service(), founder).post(UPDATE, { memberId: one, role: 'member', organizationId }),
      bearerClient(second, partner).post(UPDATE, { memberId: other, role: 'member', organizationId }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  })
})
