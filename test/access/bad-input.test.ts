import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../support/client.ts'
import { type Operation, operations } from '../support/operations.ts'
import { onEachDatabase, type Service } from '../support/service.ts'
import { administrator } from '../support/users.ts'

onEachDatabase('Bad input', (service, engine) => {
  if (engine === 'sqlite') testRefusedBodies(service)

  test('No text in any body field causes a status of 500 or above', async () => {
    // Text that is too long for an index. unstorable-text.test.ts sends text that an engine can't store.
    const long = 'x'.repeat(60_000)
    const others = [
      null,
      '',
      'ａｄｍｉｎ@ｅxample.com',
      "' OR 1=1 --",
      '../../etc/passwd',
      '%00',
      '<script>',
      '{{7*7}}',
    ]
    const hostile = engine === 'sqlite' ? [long, ...others] : [long]
    await onEveryBody(service(), async (client, { path, body }) => {
      for (const field of Object.keys(body?.fields ?? {})) {
        for (const value of hostile) {
          const answer = await client.post(path, { ...plausible(body), [field]: value })
          assert.ok(answer.status < 500, `${path} ${field}=${JSON.stringify(value)?.slice(0, 40)}: ${answer.status}`)
          if (answer.status >= 400) assert.ok(answer.body.code && answer.body.message, `${path} ${field}`)
        }
      }
    })
  })

  test('No text in any query field causes a status of 500 or above', async () => {
    const { client } = await administrator(service())
    // These reach a statement. The others are refused before the route runs.
    const stored = ['?id=%ff', `?token=${'x'.repeat(10_000)}`]
    const refused = ['?org=%00', '?org[]=a&org[]=b', '?limit=-1&offset=abc', '?next=javascript:alert(1)']
    const queries = engine === 'sqlite' ? [...stored, ...refused] : stored
    for (const { path } of (await operations(service())).filter(({ method }) => method === 'get')) {
      for (const query of queries) {
        const answer = await client.get(path + query)
        assert.ok(answer.status < 500, `${path}${query.slice(0, 30)}: ${answer.status}`)
      }
    }
  })
})

/** Refused before the route runs, so one engine is enough. */
function testRefusedBodies(service: () => Service): void {
  test('A body that is not JSON is refused', async () => {
    const client = unlimited(await administrator(service()))
    const notJson = ['{', '{bad}', '[', '{"a":}', '{"a":1,}', 'null,', '\u0000', '{"__proto__":{"admin":true}}']
    for (const rawBody of notJson) {
      const answer = await client.post('/api/auth/update-user', undefined, { rawBody })
      assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_JSON'], rawBody)
    }
  })

  test('A body that is not JSON, or no object, is refused on every route with a body', async () => {
    await onEveryBody(service(), async (client, { path }) => {
      const answer = await client.post(path, undefined, { rawBody: '{' })
      assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_JSON'], path)
      assert.equal((await client.post(path, undefined, { rawBody: '[]' })).status, 400, path)
      assert.equal((await client.post(path, undefined, { rawBody: '"text"' })).status, 400, path)
    })
  })

  test('A body with another content type returns 415, and a body over 64 KiB returns 413', async () => {
    await onEveryBody(service(), async (client, { path }) => {
      for (const contentType of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
      ]) {
        const answer = await client.post(path, undefined, { rawBody: '{}', headers: { 'content-type': contentType } })
        assert.equal(answer.status, 415, `${path} ${contentType}`)
        assert.equal(answer.body.code, 'UNSUPPORTED_MEDIA_TYPE')
      }
      const large = await client.post(path, { name: 'x'.repeat(66_000) })
      assert.equal(large.status, 413, path)
      assert.equal(large.body.code, 'BODY_TOO_LARGE')
    })
  })

  test('A refused body returns the name of the missing, unknown or wrong field', async () => {
    await onEveryBody(service(), async (client, { path, body }) => {
      if (!body) return
      if (body.isClosed) {
        const unknown = await client.post(path, { ...plausible(body), surprise: 1 })
        assert.equal(unknown.status, 400, path)
        assert.equal(unknown.body.field, 'surprise', path)
      }
      for (const field of body.required) {
        const { [field]: _, ...rest } = plausible(body)
        const answer = await client.post(path, rest)
        assert.equal(answer.status, 400, `${path} without ${field}`)
        assert.equal(answer.body.field, field, `${path} without ${field}`)
      }
      for (const [field, { type }] of Object.entries(body.fields)) {
        if (type === undefined || [type].flat().includes('object')) continue
        const answer = await client.post(path, { ...plausible(body), [field]: { nested: true } })
        assert.equal(answer.status, 400, `${path} with an object for ${field}`)
        assert.equal(answer.body.field, field)
      }
    })
  })
}

/** Calls every route with a body as an administrator, each with a new client, so that no rate limit applies. */
async function onEveryBody(
  service: Service,
  check: (client: Client, operation: Operation) => Promise<void>,
): Promise<void> {
  for (const operation of await operations(service)) {
    // sign-out would revoke the session that the other calls need.
    if (operation.method !== 'post' || operation.path === '/api/auth/sign-out') continue
    await check(unlimited(await administrator(service)), operation)
  }
}

/** Uses a new network address for every request. */
function unlimited({ client }: { client: Client }): Client {
  let count = 0
  return {
    ...client,
    post: (path, body, options = {}) => {
      count += 1
      const address = `2001:db8:${count.toString(16)}::1`
      return client.post(path, body, { ...options, headers: { 'x-forwarded-for': address, ...options.headers } })
    },
  }
}

/** A value of the right type for every required field, without the id of an existing row. */
function plausible(body: Operation['body']): Record<string, unknown> {
  const values = (body?.required ?? []).map((field) => {
    const { type, format, minProperties, minItems } = body?.fields[field] ?? {}
    if (minProperties !== undefined) return [field, { anything: ['something'] }]
    if (type === 'boolean') return [field, true]
    if (type === 'number' || type === 'integer') return [field, 1]
    if (type === 'object' || type === undefined) return [field, {}]
    if (type === 'array') return [field, minItems ? ['a-plain-value'] : []]
    return [
      field,
      format === 'uri'
        ? 'https://example.com/'
        : field.toLowerCase().includes('email')
          ? 'user@example.com'
          : 'a-plain-value',
    ]
  })
  return Object.fromEntries(values)
}
