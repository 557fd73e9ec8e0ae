import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator } from '../../../test/support/users.ts'

interface Schema {
  pattern?: string
  format?: string
  anyOf?: Schema[]
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
}

interface Operation {
  parameters?: { name: string; in: string; description?: string; schema: Schema }[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}

onEachDatabase('validation errors', (service) => {
  test('Every pattern, format and choice of a request schema has a description in words', async () => {
    const { body } = await service().client().get('/api/auth/openapi.json')
    let rules = 0
    for (const [path, methods] of Object.entries<Record<string, Operation>>(body.paths)) {
      for (const { parameters = [], requestBody } of Object.values(methods)) {
        for (const { name, description, schema } of parameters)
          rules += check(`${path} ${name}`, { ...schema, ...(description && { description }) })
        if (requestBody) rules += check(path, requestBody.content['application/json'].schema)
      }
    }
    assert.ok(rules > 50)
  })

  test('VALIDATION_ERROR describes the rule in words, without the pattern and without the value', async () => {
    const { client } = await administrator(service())
    const refused: [method: 'get' | 'post', path: string, body: unknown, message: string][] = [
      ['get', 'admin/list-users?limit=zzz', undefined, 'limit must be 1 to 500.'],
      ['get', 'admin/list-users?offset=zzz', undefined, 'offset must be a whole number: how many users to skip.'],
      ['get', 'admin/list-users?limit=1&limit=2', undefined, 'limit must be sent once.'],
      [
        'get',
        'admin/list-users?filter=zzz',
        undefined,
        'filter must be field:operator:value, at most 5 times: conditions beside filterField; or hasPasskey:eq:true, hasPasskey:eq:false.',
      ],
      ['get', 'admin/get-user?id=zz%20z', undefined, 'id must be at most 64 ASCII characters, without spaces.'],
      ['get', 'admin/list-audit-events?limit=zzz', undefined, 'limit must be 1 to 500.'],
      ['get', 'organization/list-members?offset=zzz', undefined, 'offset must be a whole number.'],
      [
        'get',
        `admin/list-users?filterOperator=in${'&filterValue=zzz'.repeat(101)}`,
        undefined,
        'filterValue must be one line of at most 256 characters, true or false, or a time in ISO 8601 or epoch ' +
          'milliseconds; with in and not_in once per value, at most 100 times, or all of them as one JSON array.',
      ],
      [
        'get',
        `organization/list-members?filterOperator=in${'&filterValue=zzz'.repeat(101)}`,
        undefined,
        'filterValue must be at most 320 characters; with in and not_in once per value, at most 100 times, or all of ' +
          'them as one JSON array.',
      ],
      ['post', 'admin/ban-user', { userId: '' }, 'userId must not be empty.'],
      ['post', 'admin/ban-user', { userId: 'z'.repeat(65) }, 'userId must have at most 64 characters.'],
      ['post', 'oauth2/create-client', { redirect_uris: 'zzz' }, 'redirect_uris must be an array or null.'],
      ['post', 'oauth2/create-client', { ownedBy: 'zzz' }, 'ownedBy must be service.'],
      ['post', 'admin/ban-user', { userId: 7 }, 'userId must be a string.'],
      ['post', 'admin/ban-user', ['zzz'], 'The body must be an object.'],
      ['post', 'admin/ban-user', { userId: 'z', banExpiresIn: 0 }, 'banExpiresIn must be at least 1.'],
      ['post', 'admin/ban-user', { userId: 'z', banExpiresIn: 1e12 }, 'banExpiresIn must be at most 316224000.'],
      [
        'post',
        'oauth2/create-client',
        { id_token_signed_response_alg: 'zzz' },
        'id_token_signed_response_alg must be one of RS256, ES256, null.',
      ],
      ['post', 'organization/check-slug', { slug: 'z' }, 'slug must have at least 2 characters.'],
    ]
    for (const [method, path, body, message] of refused) {
      const address = `/api/auth/${path}`
      const answer = method === 'get' ? await client.get(address) : await client.post(address, body)
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR'], path)
      assert.equal(answer.body.message, message)
    }
  })
})

/** @returns the count of rules */
function check(where: string, schema: Schema): number {
  const hasRule = schema.pattern !== undefined || schema.format !== undefined || schema.anyOf !== undefined
  if (hasRule) assert.ok(schema.description, `${where} has no description`)
  // It is the end of the sentence "… must be …".
  if (hasRule) assert.doesNotMatch(schema.description ?? '', /; refused|; if /, where)
  return Object.entries({ ...schema.properties, ...(schema.items && { items: schema.items }) }).reduce(
    (sum, [name, part]) => sum + check(`${where}.${name}`, part),
    Number(hasRule),
  )
}
