import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Client } from '../support/client.ts'
import { maliciousUrls } from '../support/malicious-urls.ts'
import { type Operation, operations } from '../support/operations.ts'
import { onEachDatabase, type Service } from '../support/service.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  linkIn,
  member,
  newEmail,
  newMember,
  PASSWORD,
  tokenIn,
} from '../support/users.ts'

const APP = 'https://app.example.com'

interface Redirected {
  operation: string
  answer: Answer
  location: string | RegExp
}

/** One redirect of every route with redirects. Every test service refuses to return undocumented redirects. */
async function redirects(service: Service): Promise<Redirected[]> {
  const founder = await administratorWithOrganization(service)
  const { client, email } = await member(service, founder)
  const callback = `callbackURL=${encodeURIComponent(`${APP}/back`)}`
  await client.post('/api/auth/request-password-reset', { email, redirectTo: `${APP}/reset` })
  const reset = new URL(await linkIn(service, email))
  const resetToken = reset.pathname.split('/').at(-1) ?? ''
  return [
    {
      operation: 'get /sign-in',
      answer: await client.get(`/sign-in?next=${APP}`),
      location: APP,
    },
    {
      operation: 'get /.well-known/change-password',
      answer: await client.get('/.well-known/change-password'),
      location: '/account/security#password',
    },
    {
      operation: 'get /invite/{reference}',
      answer: await service.client().get((await invite(service, founder)).linkPath),
      location: '/sign-up',
    },
    {
      operation: 'get /api/auth/reset-password/{token}',
      answer: await client.get(reset.pathname + reset.search),
      location: `${APP}/reset?token=${resetToken}`,
    },
    {
      operation: 'get /api/auth/verify-email',
      answer: await client.get(`/api/auth/verify-email?token=made-up&${callback}`),
      location: `${APP}/back?error=INVALID_TOKEN`,
    },
    {
      operation: 'get /api/auth/delete-user/callback',
      answer: await deleteByLink(service, client, email, callback),
      location: `${APP}/back`,
    },
  ]
}

async function deleteByLink(
  service: Service,
  client: Awaited<ReturnType<typeof member>>['client'],
  email: string,
  callback: string,
): Promise<Answer> {
  await client.post('/api/auth/delete-user')
  return client.get(`/api/auth/delete-user/callback?token=${await tokenIn(service, email)}&${callback}`)
}

/** Whether a field names the next page. Those with `_uri` belong to a client: test/openid/redirects.test.ts. */
const isCallbackField = (name: string) => /url|redirect|return|next/i.test(name) && !/_uris?$/.test(name)

/** A call for each field of the body and of the query that names the next page. */
function callbackCalls({ method, path, body, parameters }: Operation) {
  const required = (body?.required ?? []).map((field) => [field, /email/i.test(field) ? newEmail() : PASSWORD])
  const ofBody = Object.keys(body?.fields ?? {}).map((field) => ({
    field,
    call: (client: Client, url: string) => client.post(path, { ...Object.fromEntries(required), [field]: url }),
  }))
  const ofQuery = parameters.map(({ name }) => ({
    field: name,
    call: (client: Client, url: string) =>
      client.get(`${path}?${new URLSearchParams({ token: 'A'.repeat(43), [name]: url })}`),
  }))
  return [...ofBody, ...ofQuery]
    .filter(({ field }) => isCallbackField(field))
    .map((call) => ({ ...call, name: `${method} ${path} ${call.field}` }))
}

/** Refused before the route reads the database, so one engine is enough. */
function testRefusedCallbacks(service: () => Service): void {
  test('GHSA-vp58-j275-797x, CVE-2026-41569, CVE-2022-3782: every route refuses another site as the next page', async () => {
    const calls = (await operations(service())).flatMap(callbackCalls)
    assert.ok(calls.length >= 12)
    const urls = maliciousUrls.filter((_, index) => index % 20 === 0)
    const founder = await administratorWithOrganization(service())
    for (const { name, field, call } of calls) {
      for (const url of urls) {
        const { client } = await member(service(), founder)
        const { status, headers, body } = await call(client, url)
        assert.deepEqual([status, body.code, body.field], [400, 'INVALID_CALLBACK_URL', field], `${name} ${url}`)
        assert.equal(headers.get('location'), null, `${name} ${url}`)
      }
    }
  })
}

onEachDatabase(
  'Redirects',
  (service, engine) => {
    if (engine === 'sqlite') testRefusedCallbacks(service)

    test('Routes return 302 exactly where the OpenAPI document lists 302', async () => {
      const { body } = await service().client().get('/api/auth/openapi.json')
      const documented = Object.entries(body.paths as Record<string, Record<string, { responses: object }>>)
        .flatMap(([path, methods]) =>
          Object.entries(methods).map(([method, { responses }]) => ({ name: `${method} ${path}`, responses })),
        )
        .filter(({ responses }) => '302' in responses)
      const answered = await redirects(service())
      assert.deepEqual(documented.map(({ name }) => name).sort(), answered.map(({ operation }) => operation).sort())
      for (const { operation, answer, location } of answered) {
        assert.equal(answer.status, 302, operation)
        assert.equal(answer.headers.get('location'), location, operation)
      }
      for (const { name, responses } of documented) {
        assert.ok((responses as { 302: { headers?: { location?: object } } })[302].headers?.location, name)
      }
    })

    test('Every route in the OpenAPI document has a success response', async () => {
      const { body } = await service().client().get('/api/auth/openapi.json')
      for (const [path, methods] of Object.entries(
        body.paths as Record<string, Record<string, { responses: object }>>,
      )) {
        for (const [method, { responses }] of Object.entries(methods)) {
          assert.ok(
            Object.keys(responses).some((status) => /^[23]/.test(status)),
            `${method} ${path}`,
          )
        }
      }
    })

    test('reset-password/{token} returns the token in the body too, and an empty body for an invalid link', async () => {
      const { email } = await newMember(service())
      const client = service().client()
      await client.post('/api/auth/request-password-reset', { email, redirectTo: `${APP}/reset` })
      const link = new URL(await linkIn(service(), email))
      const token = link.pathname.split('/').at(-1)
      const answer = await client.get(link.pathname + link.search)
      assert.equal(answer.status, 302)
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual(answer.body, { token })
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      for (const [query, location] of [
        ['', `${service().baseUrl}/reset-password?error=INVALID_TOKEN`],
        [`?callbackURL=${APP}/reset`, `${APP}/reset?error=INVALID_TOKEN`],
      ]) {
        const refused = await client.get(`/api/auth/reset-password/${'A'.repeat(43)}${query}`)
        assert.deepEqual([refused.status, refused.body], [302, ''])
        assert.equal(refused.headers.get('location'), location)
      }
    })

    test('/sign-in with next redirects to the service only when the session is live and next is allowed', async () => {
      const { client } = await administrator(service())
      for (const next of [APP, `${APP}/`]) {
        const answer = await client.get(`/sign-in?next=${encodeURIComponent(next)}`)
        assert.deepEqual([answer.status, answer.headers.get('location')], [302, next])
        assert.equal(answer.headers.get('cache-control'), 'no-store')
      }
      for (const next of [`${APP}//`, `${APP}/x`, 'https://evil.example', '', '/account', service().baseUrl]) {
        const answer = await client.get(`/sign-in?next=${encodeURIComponent(next)}`)
        assert.deepEqual([answer.status, answer.headers.get('location')], [400, null], next)
      }
      for (const query of [
        `next=${APP}&next=https://evil.example`,
        `next=https://evil.example&next=${APP}`,
        `%6eext=https://evil.example&next=${APP}`,
        `next=${APP}&n%65xt=https://evil.example`,
      ]) {
        const answer = await client.get(`/sign-in?${query}`)
        assert.deepEqual([answer.status, answer.headers.get('location')], [400, null], query)
      }
      assert.equal((await client.get('/sign-in')).status, 200)
      for (const path of ['/account', '/account/security']) {
        assert.equal((await client.get(`${path}?next=${APP}`)).status, 200, path)
      }
      const signedOut = service().client()
      assert.equal((await signedOut.get(`/sign-in?next=${APP}`)).status, 200)
      signedOut.cookies.set('session', 'A'.repeat(43))
      assert.equal((await signedOut.get(`/sign-in?next=${APP}`)).status, 200)
    })

    test('/sign-in with next returns the page to a banned user', async () => {
      const founder = await administratorWithOrganization(service())
      const { client, id } = await member(service(), founder)
      assert.equal((await client.get(`/sign-in?next=${APP}`)).status, 302)
      assert.equal((await founder.client.post('/api/auth/admin/ban-user', { userId: id })).status, 200)
      assert.equal((await client.get(`/sign-in?next=${APP}`)).status, 200)
    })
  },
  { RETURN_TO_ORIGINS: APP },
)
