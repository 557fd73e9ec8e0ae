import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { bearerClient } from '../../../../test/support/bearer-client.ts'
import { secondProcess } from '../../../../test/support/second-process.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administratorWithOrganization, member, type TestUser } from '../../../../test/support/users.ts'
import { AUTHENTICATION_METHODS } from '../../../core/sessions/authentication-methods.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'

const ORGANIZATION = '/api/auth/organization'

onEachDatabase('update organization', (service) => {
  const getSecond = secondProcess(service)

  test('update organization changes the named fields only and replaces all metadata', async () => {
    const { client, organization } = await administratorWithOrganization(service(), { 'client-code': 'A-1', floor: 3 })
    const update = (data: unknown) => client.post(`${ORGANIZATION}/update`, { data, organizationId: organization.id })
    const logo = 'https://example.com/logo.png'
    assert.equal((await update({})).body.name, organization.name)
    const named = (await update({ name: 'Other', logo })).body
    assert.deepEqual([named.name, named.logo, named.slug], ['Other', logo, organization.slug])
    assert.equal(named.metadata, '{"client-code":"A-1","floor":3}')
    const plain = (await update({ logo: null, metadata: { 'client-code': 'B-2' } })).body
    assert.deepEqual([plain.logo, plain.metadata, plain.name], [null, '{"client-code":"B-2"}', 'Other'])
    const { token } = (await client.get(`/api/token?org=${organization.slug}`)).body
    assert.deepEqual(decodeJwt(token).org_meta, { 'client-code': 'B-2' })
    for (const [data, field] of [
      [{ id: 'org_other' }, 'data.id'],
      [{ createdAt: 1 }, 'data.createdAt'],
      [{ name: '' }, 'data.name'],
      [{ name: 'a\u0000b' }, 'data.name'],
      [{ logo: 'no address' }, 'data.logo'],
      [{ metadata: 'text' }, 'data.metadata'],
      [{ metadata: { 'client-code': 7 } }, 'data.metadata.client-code'],
      [{ metadata: { 'client-code': 'x'.repeat(101) } }, 'data.metadata.client-code'],
      [{ metadata: { a: 'x'.repeat(8_185) } }, 'data.metadata'],
    ] as const) {
      const answer = await update(data)
      assert.deepEqual([answer.status, answer.body.field], [400, field])
    }
    // {"a":"…"} of 8,192 bytes.
    for (const metadata of [{ 'client-code': 'x'.repeat(100) }, { a: 'x'.repeat(8_184) }])
      assert.equal((await update({ metadata })).status, 200)
  })

  test('update organization accepts metadata and logo as get-organization returned them', async () => {
    const { client, organization } = await administratorWithOrganization(service(), {
      'client-code': 'A-1',
      nested: { 字: [1, null] },
    })
    const create = (more: Record<string, unknown>) =>
      client.post(`${ORGANIZATION}/create`, { name: 'Copy', slug: `copy-${randomUUID()}`, ...more })
    const update = (data: unknown) => client.post(`${ORGANIZATION}/update`, { data, organizationId: organization.id })
    const read = async () =>
      (await client.get(`${ORGANIZATION}/get-organization?organizationId=${organization.id}`)).body
    const first = await read()
    assert.deepEqual([first.logo, typeof first.metadata], [null, 'string'])
    const { name, slug, logo, metadata } = first
    assert.equal((await update({ name, slug, logo, metadata })).status, 200)
    assert.deepEqual(await read(), first)
    const copy = (await create({ logo, metadata })).body
    assert.deepEqual([copy.logo, copy.metadata], [logo, metadata])
    assert.equal((await update({ metadata: null })).body.metadata, null)
    assert.equal((await update({ metadata: (await read()).metadata })).body.metadata, null)
    assert.equal((await create({ metadata: null })).body.metadata, null)
    for (const wrong of [
      '',
      '[]',
      '7',
      '"text"',
      '{"a":',
      '{"client-code":7}',
      `{"a":"${'x'.repeat(8_192)}"}`,
      '{"__proto__":1}',
    ])
      assert.deepEqual(
        [(await update({ metadata: wrong })).status, (await create({ metadata: wrong })).status],
        [400, 400],
        wrong.slice(0, 20),
      )
  })

  test('update organization changes nothing when other metadata is stored than the caller expects', async () => {
    const { client, organization } = await administratorWithOrganization(service(), { floor: 3 })
    const update = (data: unknown, expectedMetadata?: unknown) =>
      client.post(`${ORGANIZATION}/update`, { data, expectedMetadata, organizationId: organization.id })
    const read = async () =>
      (await client.get(`${ORGANIZATION}/get-organization?organizationId=${organization.id}`)).body
    const first = (await read()).metadata
    const second = (await update({ metadata: { floor: 4 } }, first)).body.metadata
    assert.equal(second, '{"floor":4}')
    for (const expected of [first, null, '{"floor": 4}']) {
      const { status, body } = await update({ name: 'Other', metadata: { floor: 5 } }, expected)
      assert.deepEqual([status, body.code], [400, 'METADATA_CHANGED'])
    }
    assert.equal((await update({ name: 'Other' }, first)).body.code, 'METADATA_CHANGED')
    const { name, metadata } = await read()
    assert.deepEqual([name, metadata], [organization.name, second])

    // The same request again, as after a lost response.
    assert.equal((await update({ metadata: { floor: 4 } }, first)).status, 200)
    assert.equal((await update({ metadata: null }, second)).body.metadata, null)
    assert.equal((await update({ metadata: { floor: 6 } }, null)).body.metadata, '{"floor":6}')
  })

  test('Of concurrent updates that expect the same metadata, one changes it', async () => {
    const { client, organization } = await administratorWithOrganization(service(), { floor: 3 })
    const floors = [4, 5, 6, 7, 8]
    const answers = await Promise.all(
      floors.map((floor) =>
        client.post(`${ORGANIZATION}/update`, {
          data: { metadata: { floor } },
          expectedMetadata: '{"floor":3}',
          organizationId: organization.id,
        }),
      ),
    )
    const changed = answers.filter(({ status }) => status === 200).map(({ body }) => body.metadata)
    const { metadata } = (await client.get(`${ORGANIZATION}/get-organization?organizationId=${organization.id}`)).body
    assert.deepEqual(changed, [metadata])
  })

  test('update organization lets owners alone require two-step verification, and records it', async () => {
    const founder = await administratorWithOrganization(service(), { requireTwoFactor: true })
    const { organization } = founder
    const admin = await member(service(), founder, 'admin')
    const update = ({ client }: Pick<TestUser, 'client'>, data: unknown) =>
      client.post(`${ORGANIZATION}/update`, { data, organizationId: organization.id })
    const read = async () => {
      const [first] = (await founder.client.get(`${ORGANIZATION}/list`)).body.filter(
        ({ id }: { id: string }) => id === organization.id,
      )
      return first.requireTwoFactor
    }
    await update(founder, { metadata: '{"requireTwoFactor":true}' })
    assert.equal(await read(), false)
    for (const value of [1, 0, 'true', null, {}]) {
      const { status, body } = await update(founder, { requireTwoFactor: value })
      assert.deepEqual([status, body.code, body.field], [400, 'VALIDATION_ERROR', 'data.requireTwoFactor'])
    }
    const refused = await update(admin, { requireTwoFactor: true, name: 'Unchanged' })
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
    assert.equal(await read(), false)
    const required = await update(founder, { requireTwoFactor: true })
    assert.deepEqual([required.body.requireTwoFactor, required.body.name], [true, organization.name])
    assert.equal((await update(admin, { name: 'Other' })).body.requireTwoFactor, true)
    const token = () => founder.client.get(`/api/token?org=${organization.slug}`)
    assert.equal((await token()).body.code, 'TWO_FACTOR_REQUIRED')
    await service()
      .context.database.updateTable('sessions')
      .set({ authenticationMethods: AUTHENTICATION_METHODS.passkey })
      .where('tokenHash', '=', hashToken(founder.token))
      .execute()
    assert.equal((await update(founder, { requireTwoFactor: false })).body.requireTwoFactor, false)
    assert.equal((await token()).status, 200)
    const path = `${ORGANIZATION}/list-audit-events?organizationId=${organization.id}&action=organization.updated`
    const { events } = (await founder.client.get(path)).body
    assert.deepEqual(
      events.map(({ details }: { details: { requireTwoFactor?: boolean } }) => details.requireTwoFactor),
      [false, undefined, true, undefined],
    )
  })

  test('update organization records the former slug, which services know from tokens', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const slug = `new-${organization.slug}`
    for (const data of [{ slug }, { slug, name: 'Other' }])
      assert.equal((await client.post(`${ORGANIZATION}/update`, { data })).status, 200)
    const path = `${ORGANIZATION}/list-audit-events?organizationId=${organization.id}&action=organization.updated`
    assert.deepEqual(
      (await client.get(path)).body.events.map(({ details }: { details: object }) => details),
      [
        { fields: 'slug, name', slug },
        { fields: 'slug', slug, formerSlug: organization.slug },
      ],
    )
  })

  test('Concurrent update calls with one slug change one organization', async () => {
    const one = await administratorWithOrganization(service())
    const other = await administratorWithOrganization(service())
    const taken = await one.client.post(`${ORGANIZATION}/update`, { data: { slug: other.organization.slug } })
    assert.deepEqual(
      [taken.status, taken.body.code, taken.body.field],
      [400, 'ORGANIZATION_SLUG_ALREADY_TAKEN', 'slug'],
    )
    const slug = `both-${one.organization.slug}`
    const second = await getSecond()
    const answers = await Promise.all([
      bearerClient(service(), one).post(`${ORGANIZATION}/update`, { data: { slug } }),
      bearerClient(second, other).post(`${ORGANIZATION}/update`, { data: { slug } }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  })

  test('CVE-2026-55669: organization metadata overrides no claim of a token', async () => {
    const hostile = {
      sub: 'usr_x',
      org_role: 'owner',
      is_staff: true,
      aud: 'other',
      iss: 'other',
      exp: 9e9,
      'client-code': 'C',
    }
    const founder = await administratorWithOrganization(service(), hostile)
    const colleague = await member(service(), founder)
    const claims = decodeJwt((await colleague.client.get(`/api/token?org=${founder.organization.slug}`)).body.token)
    assert.deepEqual(
      [claims.sub, claims.org_role, claims.is_staff, claims.aud, claims.iss, claims.org_meta],
      [colleague.id, 'member', false, 'accounts-services', service().baseUrl, { 'client-code': 'C' }],
    )
    assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 900)
  })
})
