import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiKeyClient } from '@better-auth/api-key/client'
import { passkeyClient } from '@better-auth/passkey/client'
import { createAuthClient } from 'better-auth/client'
import { adminClient, jwtClient, organizationClient } from 'better-auth/client/plugins'
import { Errors } from 'typebox/schema'
import { clientLine } from '../../web/reference/client-line.ts'
import { type OpenApiDocument, schemaOf } from '../../web/reference/document.ts'
import { exampleOf } from '../../web/reference/example.ts'
import { operationsOf } from '../../web/reference/operations.ts'
import { startService } from '../support/service.ts'

const CEREMONY = /^authClient\.(passkey\.addPasskey|signIn\.passkey)\(/

test('The reference has an example of every response, and the schema of the response accepts it', async (t) => {
  const document = await readDocument(t)
  const responses = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      name: `${method} ${path}`,
      schema: schemaOf(responses?.[200]),
    })),
  )
  const documented = responses.flatMap(({ name, schema }) => (schema ? [{ name, schema }] : []))
  assert.ok(documented.length > 70)
  for (const { name, schema } of documented) {
    const example = exampleOf(schema)
    const [, errors] = Errors(schema, example)
    assert.deepEqual(errors, [], `${name}: ${JSON.stringify(example)}`)
  }
})

test('The line for the official client calls the endpoint, with its method', async (t) => {
  const operations = operationsOf(await readDocument(t))
  let called = ''
  const authClient = createAuthClient({
    baseURL: 'http://localhost',
    plugins: [organizationClient(), adminClient(), passkeyClient(), jwtClient(), apiKeyClient()],
    fetchOptions: {
      customFetchImpl: async (url, init) => {
        called = `${init?.method} ${new URL(url as string | URL).pathname}`
        return Response.json({})
      },
    },
  })
  let count = 0
  for (const operation of operations) {
    const line = clientLine(operation)
    if (line === undefined || CEREMONY.test(line)) continue
    called = ''
    await new Function('authClient', `return ${line}`)(authClient)
    assert.equal(called, `${operation.method.toUpperCase()} ${operation.path}`, line)
    count += 1
  }
  assert.ok(count > 60)
})

test('The reference names every type of a field that takes text or a list', async (t) => {
  const operations = operationsOf(await readDocument(t))
  const invite = operations.find(({ path }) => path === '/api/auth/organization/invite-member')
  assert.ok(invite)
  assert.equal(invite.body?.find(({ name }) => name === 'role')?.type, 'string or array of string')
  assert.equal(clientLine(invite), 'authClient.organization.inviteMember({ email: "…", role: "…" })')
})

test('Each operation of the OpenAPI document has a name of its own, by which generators name functions', async (t) => {
  const { paths } = await readDocument(t)
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const names = operations.map(({ operationId }) => operationId)
  assert.deepEqual([...new Set(names)], names)
  for (const name of names) assert.match(name ?? '', /^[a-z][a-zA-Z0-9]+$/)
  assert.ok(names.includes('getOrganizationListMembers'))
})

async function readDocument(t: { after: (work: () => Promise<void>) => void }): Promise<OpenApiDocument> {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  return (await service.client().get('/api/auth/openapi.json')).body
}
