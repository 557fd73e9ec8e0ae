import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertOrganizations } from '../../../../test/support/many-organizations.ts'
import { onEachDatabase, startService } from '../../../../test/support/service.ts'
import { administratorWithOrganization, invite, member, signedIn, signUp } from '../../../../test/support/users.ts'
import { whenServed } from '../../../../test/support/when-served.ts'

const ORGANIZATION = '/api/auth/organization'

onEachDatabase('Organizations', (service) => {
  test('Organization slugs have 2 to 48 lower-case letters, digits and hyphens, and are not reserved', async () => {
    const { client } = await administratorWithOrganization(service())
    const bad = [
      'a',
      'x'.repeat(49),
      'Upper',
      'under_score',
      '-a',
      'a-',
      'a--b',
      'a b',
      'ä-b',
      'аdmin',
      'a\u0000b',
      ...'account accounts admin api assets dev invite new root setup staff support system www'.split(' '),
      '',
      7,
      null,
    ]
    for (const slug of bad) {
      for (const [path, body] of [
        ['create', { name: 'Example', slug }],
        ['check-slug', { slug }],
        ['update', { data: { slug } }],
      ] as const) {
        const answer = await client.post(`${ORGANIZATION}/${path}`, body)
        assert.equal(answer.status, 400, `${path} ${slug}`)
        assert.equal(answer.body.field, path === 'update' ? 'data.slug' : 'slug')
      }
    }
    const good = await client.post(`${ORGANIZATION}/check-slug`, { slug: 'a-9' })
    assert.deepEqual([good.status, good.body.status, typeof good.body.message], [200, true, 'string'])
  })

  test('Twenty concurrent creations with one slug create one organization', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const slug = `race-${organization.slug}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => whenServed(() => client.post(`${ORGANIZATION}/create`, { name: 'Race', slug }))),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const { status, body } of answers) {
      if (status !== 200) assert.deepEqual([status, body.code], [400, 'ORGANIZATION_SLUG_ALREADY_TAKEN'])
    }
  })

  test('A new organization becomes the active one, except with keepCurrentActiveOrganization', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const create = async (name: string, more = {}) => {
      const body = { name, slug: `${organization.slug}-${name.toLowerCase()}`, ...more }
      const { id } = (await client.post(`${ORGANIZATION}/create`, body)).body
      const { activeOrganizationId } = (await client.get('/api/auth/get-session')).body.session
      return { id, activeOrganizationId }
    }
    const kept = await create('Kept', { keepCurrentActiveOrganization: true })
    assert.equal(kept.activeOrganizationId, organization.id)
    const next = await create('Next')
    assert.equal(next.activeOrganizationId, next.id)
  })

  test('set-active without id and slug returns the active organization, and writes nothing', async () => {
    const { client, organization, id } = await administratorWithOrganization(service())
    const { database } = service().context
    const updates = database.selectFrom('auditEvents').select('id').where('action', '=', 'session.updated')
    assert.equal((await client.post(`${ORGANIZATION}/set-active`, {})).body.id, organization.id)
    assert.deepEqual(await updates.where('actorId', '=', id).execute(), [])
    assert.equal((await client.post(`${ORGANIZATION}/set-active`, { organizationId: organization.id })).status, 200)
    assert.equal((await updates.where('actorId', '=', id).execute()).length, 1)
  })

  test('list has 1,000 organizations by default, and the next ones by offset', async () => {
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    await insertOrganizations(service(), hire.id, 1_000)
    const list = async (query = '') => (await hire.client.get(`${ORGANIZATION}/list${query}`)).body
    const all = await list()
    assert.deepEqual([all.length, all[0].id], [1_000, founder.organization.id])
    assert.equal((await list('?offset=1000')).length, 1)
    assert.deepEqual(await list('?limit=2&offset=1'), all.slice(1, 3))
    assert.equal((await list('?limit=0')).field, 'limit')
  })

  test('has-permission of organizations answers by the permissions of the role', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const plain = await member(service(), founder)
    const expected: [Record<string, unknown>, boolean[]][] = [
      [{ organization: ['update'] }, [true, true, false]],
      [{ organization: ['delete'] }, [true, false, false]],
      [{ organization: ['transfer'] }, [true, false, false]],
      [{ organization: ['update', 'delete'] }, [true, false, false]],
      [{ member: ['create', 'update', 'delete'], invitation: ['create', 'cancel'] }, [true, true, false]],
      [{ apiKey: ['create', 'read', 'update', 'delete'] }, [true, true, false]],
      [{ organization: ['rule'] }, [false, false, false]],
      [{ constructor: ['name'], __proto__: ['x'] }, [false, false, false]],
    ]
    for (const [permissions, grants] of expected) {
      for (const [index, { client }] of [founder, admin, plain].entries()) {
        const answer = await client.post(`${ORGANIZATION}/has-permission`, { permissions })
        assert.equal(answer.body.success, grants[index], JSON.stringify(permissions))
        assert.equal(answer.body.error === '', grants[index], JSON.stringify(answer.body))
      }
    }
    const missing = { organization: ['update', 'delete'], member: ['create'] }
    const answer = await admin.client.post(`${ORGANIZATION}/has-permission`, { permissions: missing })
    assert.deepEqual(answer.body, { error: 'organization: delete', success: false })
    // Every role would grant an empty set of permissions.
    const nothing: [unknown, string][] = [
      [{}, 'permissions'],
      [{ member: [] }, 'permissions.member'],
      [{ organization: ['update'], member: [] }, 'permissions.member'],
    ]
    for (const [permissions, field] of nothing) {
      const { status, body } = await plain.client.post(`${ORGANIZATION}/has-permission`, { permissions })
      assert.deepEqual([status, body.field, body.message], [400, field, `${field} must not be empty.`])
    }
  })

  test('get-full-organization contains invitations for roles that may invite only', async () => {
    const founder = await administratorWithOrganization(service())
    const plain = await member(service(), founder)
    await invite(service(), founder)
    const full = await founder.client.get(`${ORGANIZATION}/get-full-organization`)
    assert.deepEqual([full.body.members.length, full.body.invitations.length], [2, 1])
    const seen = await plain.client.get(`${ORGANIZATION}/get-full-organization`)
    assert.deepEqual([seen.body.members.length, seen.body.invitations], [2, []])
    assert.equal((await plain.client.get(`${ORGANIZATION}/list-invitations`)).status, 403)
    const one = await plain.client.get(`${ORGANIZATION}/get-full-organization?membersLimit=1`)
    assert.equal(one.body.members.length, 1)
    assert.equal(
      (await plain.client.get(`${ORGANIZATION}/get-full-organization?membersLimit=101`)).body.field,
      'membersLimit',
    )
  })

  test('CVE-2025-61928: an id in a body neither replaces the session nor contradicts the slug', async () => {
    const founder = await administratorWithOrganization(service())
    const other = await administratorWithOrganization(service())
    const colleague = await member(service(), founder)
    const refused = await colleague.client.post(`${ORGANIZATION}/create`, {
      name: 'x',
      slug: 'some-slug',
      userId: founder.id,
    })
    assert.deepEqual([refused.status, refused.body.field], [400, 'userId'])
    const contradictions = { organizationId: founder.organization.id, organizationSlug: other.organization.slug }
    for (const path of ['set-active', 'has-permission']) {
      const body = path === 'set-active' ? contradictions : { ...contradictions, permissions: { member: ['create'] } }
      assert.equal((await founder.client.post(`${ORGANIZATION}/${path}`, body)).status, 404, path)
    }
    const query = new URLSearchParams(contradictions)
    assert.equal((await founder.client.get(`${ORGANIZATION}/get-full-organization?${query}`)).status, 404)
    // The query of a POST does not name the organization.
    const leave = await colleague.client.post(`${ORGANIZATION}/has-permission?organizationId=a&organizationId=b`, {
      permissions: { member: ['create'] },
    })
    assert.equal(leave.status, 200)
  })

  test('organization routes need a verified email address', async () => {
    const founder = await administratorWithOrganization(service())
    const colleague = await signUp(service(), await invite(service(), founder, undefined, 'admin'))
    await service()
      .context.database.updateTable('users')
      .set({ emailVerified: 0 })
      .where('id', '=', colleague.id)
      .execute()
    const user = await signedIn(service(), colleague.email)
    for (const path of ['get-organization', 'list-members', 'get-active-member', 'list-invitations']) {
      const answer = await user.client.get(`${ORGANIZATION}/${path}`)
      assert.deepEqual([answer.status, answer.body.code], [403, 'EMAIL_NOT_VERIFIED'], path)
    }
    const created = await user.client.post(`${ORGANIZATION}/create`, { name: 'Mine', slug: 'mine-and-mine' })
    assert.equal(created.body.code, 'EMAIL_NOT_VERIFIED')
  })
})

test('ORGANIZATION_CREATION=staff lets only staff create organizations', async (t) => {
  const service = await startService({ engine: 'sqlite', environment: { ORGANIZATION_CREATION: 'staff' } })
  t.after(() => service.stop())
  const founder = await administratorWithOrganization(service)
  const colleague = await member(service, founder)
  const answer = await colleague.client.post(`${ORGANIZATION}/create`, { name: 'Mine', slug: 'mine' })
  assert.deepEqual([answer.status, answer.body.code], [403, 'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION'])
})
