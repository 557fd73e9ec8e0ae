import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administratorWithOrganization, newEmail } from '../../../test/support/users.ts'
import { toJsonText } from './json-object.ts'

/** The depth that fits a body. JSON.stringify overflows the stack with it, but not with other names or with arrays. */
const DEEP = `${'{"1":'.repeat(10_000)}1${'}'.repeat(10_000)}`

onEachDatabase('JSON object fields', (service) => {
  test('Every route that stores a JSON object refuses one that is nested 10,000 levels deep', async () => {
    const { client, id } = await administratorWithOrganization(service())
    const bodies = {
      'update-session': DEEP,
      'organization/create': `{"name":"Deep","slug":"deep-${randomUUID()}","metadata":${DEEP}}`,
      'organization/update': `{"data":{"metadata":${DEEP}}}`,
      'api-key/create': `{"name":"Deep","metadata":${DEEP}}`,
      'admin/create-user': `{"name":"Deep","email":"${newEmail()}","data":${DEEP}}`,
      'admin/update-user': `{"userId":"${id}","data":${DEEP}}`,
    }
    for (const [path, rawBody] of Object.entries(bodies)) {
      const answer = await client.post(`/api/auth/${path}`, undefined, { rawBody })
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR'], path)
    }
  })
})

test('toJsonText refuses more than the maximum of bytes, which letters beyond ASCII need several of', () => {
  const bounds = { field: 'metadata', bytesMaximum: 24 }
  assert.equal(toJsonText({ name: 'Ünïversitas' }, bounds), '{"name":"Ünïversitas"}')
  assert.throws(() => toJsonText({ name: 'Ünïversität' }, bounds), /at most 24 bytes/)
})

test('toJsonText refuses more than 32 levels, and a property named __proto__ on any level', () => {
  const bounds = { field: 'metadata', bytesMaximum: 1_000 }
  const nested = (levels: number, inside = '1') =>
    JSON.parse(`${'{"a":'.repeat(levels)}${inside}${'}'.repeat(levels)}`) as Record<string, unknown>
  assert.ok(toJsonText(nested(32), bounds))
  for (const object of [nested(33), nested(32, '[]'), nested(1, '{"__proto__":1}'), JSON.parse('{"__proto__":1}')])
    assert.throws(() => toJsonText(object, bounds), /at most 32 levels deep, without a property named __proto__/)
})
