import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../support/client.ts'
import { operations } from '../support/operations.ts'
import { onEachDatabase, type Service } from '../support/service.ts'
import { administrator, administratorWithOrganization } from '../support/users.ts'

/** JSON text with NUL, which PostgreSQL can't store, and with unpaired surrogates, which are not characters. */
const NUL = '"\\u0000"'
const KINDS = ['"a\\u0000b"', '"\\ud800"', `{"data":{"deep":[{"a":${NUL}}]}}`]
const OTHERS = ['"\\u0000@example.com"', '"\\uDFFF x"', '"\\udc00\\ud800"', `[${NUL}]`, `{"name":${NUL}}`, `{${NUL}:1}`]
/** The tests send more requests than the default limits of one user allow. */
const GENEROUS_LIMITS = { USER_CHANGES_PER_MINUTE: '1000000', NETWORK_EMAIL_REQUESTS_PER_5_MINUTES: '1000000' }

onEachDatabase(
  'Unstorable text',
  (service, engine) => {
    if (engine === 'sqlite') testBodies(service)

    test('Unstorable text in a query, path or cookie never causes a status of 500 or above', async () => {
      const { client } = await administrator(service())
      const anonymous = service().client()
      // Text with NUL is refused before the route runs.
      const texts = ['%ed%a0%80', '%c0%80', ...(engine === 'sqlite' ? ['%00', 'a%00b', '%00@example.com'] : [])]
      for (const { method, path, parameters } of await operations(service())) {
        if (method !== 'get') continue
        for (const { name, in: location } of parameters) {
          for (const text of texts) {
            const target = location === 'path' ? path.replace('placeholder', text) : `${path}?${name}=${text}`
            const answer = await client.get(target)
            assert.ok(answer.status < 500, `${target}: ${answer.status}`)
            if (text.includes('%00')) assert.equal(answer.status, 400, target)
          }
        }
        for (const name of ['session', 'invitation', 'passkey', 'device']) {
          anonymous.cookies.set(name, 'a%00.b')
          assert.ok((await anonymous.get(path)).status < 500, `${path} with ${name}`)
          anonymous.cookies.clear()
        }
      }
    })

    test('Text that resembles an escape sequence is accepted', async () => {
      const { client } = await administrator(service())
      for (const name of ['\\\\u0000', 'Zoë \\ud83d\\ude00', '\\ud83d\\ude00\\ud83d\\ude00 Ada']) {
        const answer = await client.post('/api/auth/update-user', undefined, { rawBody: `{"name":"${name}"}` })
        assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer.body)}`)
      }
    })

    test('Unstorable text is found in a body that is nested deeper than the stack', async () => {
      const { client } = await administrator(service())
      for (const inner of ['"\\u0000"', '1']) {
        const rawBody = `{"deep":${'['.repeat(30_000)}${inner}${']'.repeat(30_000)}}`
        const answer = await client.post('/api/auth/update-session', undefined, { rawBody })
        assert.equal(answer.status, 400, JSON.stringify(answer.body))
      }
    })
  },
  GENEROUS_LIMITS,
)

/** Refused before the route runs, so one engine is enough, and one route for the other values. */
function testBodies(service: () => Service): void {
  const assertRefused = async (client: Client, path: string, field: string, values: string[]) => {
    for (const value of values) {
      const answer = await client.post(path, undefined, { rawBody: `{"${field}":${value}}` })
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR'], `${path} ${field}=${value}`)
      assert.ok(answer.body.field.startsWith(field), `${path}: ${answer.body.field}`)
      // A schema may refuse the value, too.
      assert.match(answer.body.message, /must not contain the character NUL/, `${path} ${field}=${value}`)
    }
  }

  test('Unstorable text in any body field returns 400 with the name of the field', async () => {
    const { client } = await administratorWithOrganization(service())
    for (const { method, path, body } of await operations(service())) {
      if (method !== 'post') continue
      for (const field of Object.keys(body?.fields ?? { anything: {} })) await assertRefused(client, path, field, KINDS)
    }
  })

  test('Unstorable text returns 400 in each position of a body, also as a name', async () => {
    const { client } = await administratorWithOrganization(service())
    await assertRefused(client, '/api/auth/update-user', 'name', [...KINDS, ...OTHERS])
  })
}
