import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompactSign, compactVerify, createLocalJWKSet, decodeProtectedHeader } from 'jose'
import { onEachDatabase, type Service, startService } from '../../../test/support/service.ts'
import { administratorWithOrganization } from '../../../test/support/users.ts'
import { createSigningKey } from './create-signing-key.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'
import { canDecryptSigningKeys, createSigningKeys } from './signing-keys.ts'
import { findNewestKey, insertKey } from './store.ts'
import { withdrawSigningKey } from './withdraw-signing-key.ts'

onEachDatabase('Signing keys', (service, engine) => {
  test('The key set contains an RS256 and an ES256 key of each generation, both of which verify', async () => {
    const keys = createSigningKeys(service().context)
    const published = createLocalJWKSet((await service().client().get('/.well-known/jwks.json')).body)
    for (const algorithm of ['RS256', 'ES256'] as const) {
      const { kid, privateKey } = await keys.current(algorithm)
      const signed = await new CompactSign(Buffer.from('hello'))
        .setProtectedHeader({ alg: algorithm, kid })
        .sign(privateKey)
      assert.equal((await compactVerify(signed, published)).protectedHeader.kid, kid)
    }
    assert.deepEqual(await keys.current(), await keys.current('RS256'))
  })

  test('A key from before migration 0019 gets one ES256 key, although five processes start concurrently', async (t) => {
    const fresh = await startService({ engine })
    t.after(() => fresh.stop())
    const { database } = fresh.context
    const { next } = await rotateSigningKey(fresh.context)
    const before = await database.selectFrom('signingKeys').selectAll().orderBy('generation').execute()
    await database.updateTable('signingKeys').set({ publicEcJwk: null, encryptedPrivateEcJwk: null }).execute()
    const ids = before.map(({ id }) => id)
    assert.deepEqual(await publishedKids(fresh), ids)
    assert.equal((await createSigningKeys(fresh.context).listPrivateKeys()).length, ids.length)

    const processes = Array.from({ length: 5 }, () => createSigningKeys(fresh.context))
    const seen = await Promise.all(
      processes.map(async (keys) => {
        await keys.ensure()
        return (await keys.listPrivateKeys()).map(({ privateJwk }) => privateJwk)
      }),
    )
    for (const privateJwks of seen) assert.deepEqual(privateJwks, seen[0])
    const published = await publishedKids(fresh)
    assert.deepEqual(
      published,
      ids.flatMap((id) => [id, `${id}-es256`]),
    )
    const after = await database.selectFrom('signingKeys').selectAll().orderBy('generation').execute()
    assert.deepEqual(
      after.map(({ publicJwk, encryptedPrivateJwk }) => ({ publicJwk, encryptedPrivateJwk })),
      before.map(({ publicJwk, encryptedPrivateJwk }) => ({ publicJwk, encryptedPrivateJwk })),
    )
    const keySet = createLocalJWKSet((await fresh.client().get('/api/auth/jwks')).body)
    for (const { kid, algorithm, privateKey } of await createSigningKeys(fresh.context).listPrivateKeys()) {
      const signed = await new CompactSign(Buffer.from('hello'))
        .setProtectedHeader({ alg: algorithm, kid })
        .sign(privateKey)
      await compactVerify(signed, keySet)
    }
    fresh.advance(next.activeAt - fresh.context.now() + 3_600_000)
  })

  test('The first start creates one signing key with an audit event, although five processes start concurrently', async (t) => {
    const fresh = await startService({ engine })
    t.after(() => fresh.stop())
    const { database } = fresh.context
    await database.deleteFrom('signingKeys').execute()
    await Promise.all(Array.from({ length: 5 }, () => createSigningKeys(fresh.context).ensure()))
    const { id: subjectId } = (await findNewestKey(database)) ?? {}
    const events = await database
      .selectFrom('auditEvents')
      .select(['subjectId', 'actorId', 'userAgent'])
      .where('action', '=', 'signing-key.created')
      .execute()
    assert.deepEqual(
      events.map((event) => ({ ...event })),
      [{ subjectId, actorId: null, userAgent: 'maintenance' }],
    )
  })

  test('listPrivateKeys begins with the key that signs, and its version changes when another key signs or one is withdrawn', async (t) => {
    // Other tests leave retired keys.
    const fresh = await startService({ engine })
    t.after(() => fresh.stop())
    const { context } = fresh
    const keys = createSigningKeys(context)
    const kids = async () => (await keys.listPrivateKeys()).slice(0, 4).map(({ kid }) => kid)
    const pair = (id: string) => [id, `${id}-es256`]
    const { kid: first } = await keys.current()
    const versions = [await keys.getVersion()]
    assert.equal(await keys.getVersion(), versions[0])

    const { next } = await rotateSigningKey(context)
    versions.push(await keys.getVersion())
    assert.deepEqual(await kids(), [...pair(first), ...pair(next.id)])
    fresh.advance(next.activeAt - context.now())
    versions.push(await keys.getVersion())
    assert.deepEqual(await kids(), [...pair(next.id), ...pair(first)])
    await withdrawSigningKey(context, next.id)
    versions.push(await keys.getVersion())
    assert.ok(!(await kids()).some((kid) => kid.startsWith(next.id)))
    assert.equal(new Set(versions).size, 4)
  })

  test('listPrivateKeys contains retired keys for as long as sessions last, and no withdrawn one', async () => {
    const { context } = service()
    const keys = createSigningKeys(context)
    const kids = async () => (await keys.listPrivateKeys()).map(({ kid }) => kid)
    const { kid: retired } = await keys.current()
    const { next } = await rotateSigningKey(context)
    service().advance(next.activeAt - context.now() + 29 * 86_400_000)
    assert.ok(!(await publishedKids(service())).includes(retired))
    const [signing, ...others] = await kids()
    assert.equal(signing, next.id)
    assert.ok(others.includes(retired) && others.includes(`${retired}-es256`))
    const version = await keys.getVersion()
    await withdrawSigningKey(context, retired)
    assert.notEqual(await keys.getVersion(), version)
    assert.ok(!(await kids()).includes(retired))
    service().advance(2 * 86_400_000)
    assert.deepEqual(await kids(), [next.id, `${next.id}-es256`])
  })

  test('Private JWKs have their private members, kid, alg and use, and the published ones have no private member', async () => {
    const keys = await createSigningKeys(service().context).listPrivateKeys()
    const [rsa, ec] = keys.map(({ privateJwk }) => privateJwk)
    for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'n', 'e']) assert.ok(rsa && member in rsa, member)
    for (const member of ['d', 'x', 'y']) assert.ok(ec && member in ec, member)
    assert.deepEqual([rsa?.alg, rsa?.use, ec?.alg, ec?.use, ec?.crv], ['RS256', 'sig', 'ES256', 'sig', 'P-256'])
    const { body } = await service().client().get('/api/auth/jwks')
    for (const jwk of body.keys)
      for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi']) assert.ok(!(member in jwk), member)
  })

  test('With a damaged ES256 key, the service is not ready and doctor fails', async () => {
    const { context, client } = service()
    const { kid: id } = await createSigningKeys(context).current()
    const key = context.database.updateTable('signingKeys').where('id', '=', id)
    const row = await context.database
      .selectFrom('signingKeys')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const { encryptedPrivateEcJwk } = row
    await key.set({ encryptedPrivateEcJwk: (encryptedPrivateEcJwk ?? '').replace(/.$/, '~') }).execute()
    assert.equal((await client().get('/readyz')).status, 503)
    assert.equal(await canDecryptSigningKeys(context), false)
    await key.set({ encryptedPrivateEcJwk }).execute()
    assert.equal((await client().get('/readyz')).status, 200)
  })

  test('A key that is inserted without another change signs the next token', async () => {
    const { context } = service()
    const { client, organization } = await administratorWithOrganization(service())
    const mint = async () => {
      const { token } = (await client.get(`/api/token?org=${organization.slug}`)).body
      return decodeProtectedHeader(token).kid
    }
    await mint()
    const former = await mint()
    const newest = await findNewestKey(context.database)
    const generation = (newest?.generation ?? 0) + 1
    const key = await createSigningKey(context, { generation, activeAt: context.now() })
    await insertKey(context.database, key)
    assert.notEqual(key.id, former)
    assert.equal(await mint(), key.id)
  })
})

async function publishedKids(service: Service): Promise<string[]> {
  const { body } = await service.client().get('/api/auth/jwks')
  return (body.keys as { kid: string }[]).map(({ kid }) => kid)
}
