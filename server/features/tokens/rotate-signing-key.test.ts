import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { onEachDatabase, type Service, startService } from '../../../test/support/service.ts'
import { administratorWithOrganization } from '../../../test/support/users.ts'
import { keysCommand } from '../../commands/keys.ts'
import { openMigrated } from '../../commands/prepare.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'

const STEP_SECONDS = 30

/** Verifies tokens as a service that caches the published keys for as long as `max-age` allows. */
function createPatientVerifier({ baseUrl, context }: Service) {
  let keys: { set: JSONWebKeySet; until: number } | undefined
  return async (token: string): Promise<void> => {
    if (!keys || keys.until <= context.now()) {
      const response = await fetch(`${baseUrl}/api/auth/jwks`)
      const maxAge = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1]
      keys = { set: (await response.json()) as JSONWebKeySet, until: context.now() + Number(maxAge) * 1000 }
    }
    const currentDate = new Date(context.now())
    await jwtVerify(token, createLocalJWKSet(keys.set), { issuer: baseUrl, audience: 'accounts-services', currentDate })
  }
}

onEachDatabase('keys rotate', (_shared, engine) => {
  /** A service whose only signing keys are those of its start. */
  async function startFresh(t: TestContext): Promise<Service> {
    const fresh = await startService({ engine })
    t.after(() => fresh.stop())
    return fresh
  }

  test('Every token verifies during a rotation, at any time of the last fetch of the keys', async (t) => {
    const service = await startFresh(t)
    const { client, organization } = await administratorWithOrganization(service)
    const verifiers = Array.from({ length: 10 }, () => createPatientVerifier(service))
    const live: { token: string; until: number }[] = []
    const signers = new Set<string | undefined>()
    const mint = async () => {
      const { token } = (await client.get(`/api/token?org=${organization.slug}`)).body as { token: string }
      signers.add(decodeProtectedHeader(token).kid)
      live.push({ token, until: service.context.now() + 899_000 })
    }
    for (let step = 0; step < 100; step += 1) {
      await Promise.all([mint(), mint(), ...(step === 20 ? [rotateSigningKey(service.context)] : [])])
      while (live[0] && live[0].until <= service.context.now()) live.shift()
      // One of the verifiers begins at each of the first steps, so that their caches end at different times.
      const working = verifiers.slice(0, step + 1)
      await Promise.all(working.flatMap((verify) => [live[0], live.at(-1)].map((one) => one && verify(one.token))))
      service.advance(STEP_SECONDS * 1000)
    }
    assert.equal(signers.size, 2)
    const published = (await client.get('/api/auth/jwks')).body
    assert.deepEqual(
      published.keys.map(({ alg }: { alg: string }) => alg),
      ['RS256', 'ES256'],
    )
    assert.ok(!JSON.stringify(published).includes('"d"'))
  })

  test('A rotation works with the remote key set of jose', async (t) => {
    const service = await startFresh(t)
    const { client, organization } = await administratorWithOrganization(service)
    const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', service.baseUrl))
    const verifyNew = async () => {
      const { token } = (await client.get(`/api/token?org=${organization.slug}`)).body
      const currentDate = new Date(service.context.now())
      return (await jwtVerify(token, keys, { audience: 'accounts-services', currentDate })).protectedHeader.kid
    }
    // The process has cached the keys immediately before the rotation.
    service.advance(3_600_000)
    await client.get(`/api/token?org=${organization.slug}`)
    const { next } = await rotateSigningKey(service.context)
    const before = await verifyNew()
    assert.notEqual(before, next.id)
    service.advance(next.activeAt - service.context.now())
    assert.equal(await verifyNew(), next.id)
    service.advance(3_600_000)
  })

  test('Ten concurrent rotations in two processes create one key', async (t) => {
    const service = await startFresh(t)
    const commands = await Promise.all([1, 2].map(() => openMigrated(service.config, service.context)))
    t.after(() => Promise.all(commands.map(({ close }) => close())))
    const before = await generations(service)
    const contexts = commands.flatMap(({ context }) => Array.from({ length: 5 }, () => context))
    const rotations = await Promise.all(contexts.map((context) => rotateSigningKey(context)))
    assert.equal(rotations.filter(({ isNew }) => isNew).length, 1)
    assert.equal(new Set(rotations.map(({ next }) => next.id)).size, 1)
    assert.deepEqual(await generations(service), [...before, before.length + 1])
  })

  test('keys rotate and keys list print the keys', async (t) => {
    const service = await startFresh(t)
    const { config, context } = service
    const { next } = await rotateSigningKey(context)
    // A rotation within an hour would create no key.
    service.advance(next.activeAt - context.now() + 3_600_000)
    const lines: string[] = []
    t.mock.method(console, 'log', (line: string) => lines.push(line))
    await keysCommand.run(config, context, ['rotate'])
    await keysCommand.run(config, context, ['rotate'])
    await keysCommand.run(config, context, ['list'])
    assert.match(lines[0] ?? '', /^key_\w+ is published and signs from /)
    assert.match(lines[1] ?? '', /^A rotation has already begun: key_\w+ signs from /)
    assert.match(lines.at(-2) ?? '', /^key_\w+ {2}signing /)
    assert.match(lines.at(-1) ?? '', /^key_\w+ {2}next /)
    assert.match(lines[2] ?? '', /^key_\w+ {2}retired /)
    await assert.rejects(keysCommand.run(config, context, ['turn']), /Usage/)
  })
})

async function generations({ context: { database } }: Service): Promise<number[]> {
  const rows = await database.selectFrom('signingKeys').select('generation').orderBy('generation').execute()
  return rows.map(({ generation }) => generation)
}
