import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../support/operations.ts'
import { onEachDatabase } from '../support/service.ts'
import { administrator, owner } from '../support/users.ts'

/** PostgreSQL stores no NUL, and half of a surrogate pair is no character: as JSON writes them. */
const UNSTORABLE = ['"a\\u0000b"', '"\\u0000@example.com"', '"\\ud800"', '"\\uDFFF x"', '"\\udc00\\ud800"']
const NUL = '"\\u0000"'
const VALUES = [...UNSTORABLE, `[${NUL}]`, `{"name":${NUL}}`, `{${NUL}:1}`, `{"data":{"deep":[{"a":${NUL}}]}}`]
/** The test makes far more requests than one user does. */
const GENEROUS_LIMITS = { USER_CHANGES_PER_MINUTE: '1000000', NETWORK_EMAIL_REQUESTS_PER_5_MINUTES: '1000000' }

onEachDatabase(
  'Text that no database can store',
  (service) => {
    test('is refused in every field of every body, with the name of the field', async () => {
      const { client } = await owner(service())
      for (const { method, path, body } of await operations(service())) {
        if (method !== 'post') continue
        for (const field of Object.keys(body?.fields ?? { anything: {} })) {
          for (const value of VALUES) {
            const answer = await client.post(path, undefined, { rawBody: `{"${field}":${value}}` })
            assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR'], `${path} ${field}=${value}`)
            assert.ok(answer.body.field.startsWith(field), `${path}: ${answer.body.field}`)
          }
        }
      }
    })

    test('is no error of ours in any query, path or cookie', async () => {
      const { client } = await administrator(service())
      const visitor = service().client()
      for (const { method, path, parameters } of await operations(service())) {
        if (method !== 'get') continue
        for (const { name, in: place } of parameters) {
          for (const text of ['%00', 'a%00b', '%00@example.com', '%ed%a0%80', '%c0%80']) {
            const target = place === 'path' ? path.replace('placeholder', text) : `${path}?${name}=${text}`
            const answer = await client.get(target)
            assert.ok(answer.status < 500, `${target}: ${answer.status}`)
            if (text.includes('%00')) assert.equal(answer.status, 400, target)
          }
        }
        for (const name of ['session', 'invitation', 'passkey', 'device']) {
          visitor.cookies.set(name, 'a%00.b')
          assert.ok((await visitor.get(path)).status < 500, `${path} with ${name}`)
          visitor.cookies.clear()
        }
      }
    })

    test('is told from text that only looks like it', async () => {
      const { client } = await administrator(service())
      for (const name of ['\\\\u0000', 'Zoë \\ud83d\\ude00', '\\ud83d\\ude00\\ud83d\\ude00 Ada']) {
        const answer = await client.post('/api/auth/update-user', undefined, { rawBody: `{"name":"${name}"}` })
        assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer.body)}`)
      }
    })

    test('is found in a body that is nested deeper than the stack', async () => {
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
