import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createLogOutDelivery } from '../../server/features/openid/log-outs/delivery.ts'
import { createSigningKeys } from '../../server/features/tokens/signing-keys.ts'
import { createGuardedFetch } from '../../server/platform/http/guarded-fetch.ts'
import { launchBrowser } from '../support/browser.ts'
import { CONNECT_A_SERVICE, EXAMPLES, registerExample, runExample, startExample } from '../support/examples.ts'
import { getFreePort } from '../support/free-port.ts'
import { authorizationRequest, createTestApp, locationOf, signInTo } from '../support/openid.ts'
import { type Service, startService } from '../support/service.ts'
import { startUnavailableAccounts } from '../support/unavailable-accounts.ts'
import { administratorWithOrganization, member, newMember, signedIn, type TestMember } from '../support/users.ts'
import { fillSignIn, heading, signInByRequest } from '../support/visits.ts'

test('docs/connect-a-service.md shows every file in examples/ as it is', async () => {
  const shown = [...CONNECT_A_SERVICE.matchAll(/^```(?:js|html) examples\/(\S+)\n(.*?)^```$/gms)]
  const entries = await readdir(EXAMPLES, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  assert.deepEqual(shown.map(([, path = '']) => join(EXAMPLES, path)).toSorted(), files.toSorted())
  for (const [, path = '', content] of shown)
    assert.equal(content, await readFile(join(EXAMPLES, path), 'utf8'), `${path}: copy the file into the document`)
})

test('The rewrite for mod_auth_openidc leaves iss out of the errors of the service, and out of nothing else', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const [, pattern = '', target = ''] =
    /RewriteCond %\{QUERY_STRING\} (\S+)\n\s*RewriteRule \^\S+\$ \S+\?(\S+)\n/.exec(CONNECT_A_SERVICE) ?? []
  const rewrite = (query: string) => query.replace(new RegExp(pattern), target.replaceAll('%', '$'))
  const user = await newMember(service)
  const app = await createTestApp(service)
  const queryAfter = async (parameters: Record<string, string>) =>
    locationOf(await user.client.get((await authorizationRequest(app, parameters)).path)).search.slice(1)
  const error = await queryAfter({ scope: 'unknown' })
  assert.match(error, /^error=invalid_scope&.*&iss=/)
  assert.equal(rewrite(error), error.replace(/&iss=[^&]*/, ''))
  const code = await queryAfter({})
  assert.match(code, /code=.*&iss=/)
  assert.equal(rewrite(code), code)
})

describe('The examples of docs/connect-a-service.md', () => {
  let accounts: Service
  let browser: Browser
  let founder: TestMember
  let email: string
  const stops: (() => void)[] = []

  before(async () => {
    accounts = await startService({ engine: 'sqlite' })
    browser = await launchBrowser()
    founder = await administratorWithOrganization(accounts)
    email = (await member(accounts, founder)).email
  })
  after(async () => {
    for (const stop of stops) stop()
    await browser?.close()
    await accounts?.stop()
  })

  const start = async (file: string, environment: Record<string, string>) => {
    stops.push(await startExample(file, { ACCOUNTS_URL: accounts.baseUrl, ...environment }))
  }
  const newPage = async (t: { after: (work: () => Promise<void>) => void }) => {
    const context = await browser.newContext({ baseURL: accounts.baseUrl })
    t.after(() => context.close())
    return context.newPage()
  }
  const signIn = async (page: Page) => {
    await heading(page, 'Sign in')
    await fillSignIn(page, email)
  }
  const allow = (page: Page) => page.getByRole('button', { name: 'Allow', exact: true }).click()
  const signOutHereAndThere = async (page: Page) => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading(page, 'Sign out?')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
  }

  test('web-server.mjs signs a user in, replaces expired tokens, and ends with the session at Accounts', async (t) => {
    const port = await getFreePort()
    const SITE_URL = `http://localhost:${port}`
    await start('web-server.mjs', {
      ...(await registerExample(accounts, founder, { name: 'web-server', port })),
      SITE_URL,
    })
    const page = await newPage(t)
    await page.goto(SITE_URL)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page)
    await page.getByText('Hello Hilda Hire.').waitFor()
    await page.getByRole('link', { name: 'Profile' }).click()
    await page.getByText(email).waitFor()
    accounts.advance(16 * 60_000)
    await page.reload()
    await page.getByText(email).waitFor()

    await (await signedIn(accounts, email)).client.post('/api/auth/revoke-other-sessions')
    await deliverLogOuts(accounts)
    await page.goto(SITE_URL)
    await page.getByText('You are signed out.').waitFor()

    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page)
    await signOutHereAndThere(page)
    assert.equal(page.url(), `${SITE_URL}/`)
    await page.goto(`${accounts.baseUrl}/account`)
    await heading(page, 'Sign in')
  })

  test('web-server.mjs listens on PORT when its address is that of a proxy', async () => {
    const port = await getFreePort()
    const client = { CLIENT_ID: 'cli_none', CLIENT_SECRET: 'none' }
    await start('web-server.mjs', { ...client, SITE_URL: 'https://app.example.com', PORT: String(port) })
    const response = await fetch(`http://localhost:${port}/`)
    assert.match(await response.text(), /You are signed out/)
  })

  test('single-page-app/ signs a user in from another origin, and out', async (t) => {
    const port = await getFreePort()
    const { CLIENT_ID } = await registerExample(accounts, founder, { name: 'single-page-app', port })
    await start('single-page-app/server.mjs', { CLIENT_ID, PORT: String(port) })
    const page = await newPage(t)
    await page.goto(`http://localhost:${port}`)
    await signInByRequest(page, email)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await allow(page)
    await page.getByText(`Hello Hilda Hire, ${email}.`).waitFor()
    assert.equal(page.url(), `http://localhost:${port}/`)
    await signOutHereAndThere(page)
  })

  test('better-auth.mjs signs a user in, and out at Accounts too', async (t) => {
    const port = await getFreePort()
    const SITE_URL = `http://localhost:${port}`
    const client = await registerExample(accounts, founder, { name: 'better-auth', port })
    await start('better-auth.mjs', { ...client, SITE_URL, BETTER_AUTH_SECRET: 'a-secret-of-tests-only'.repeat(2) })
    const page = await newPage(t)
    await signInByRequest(page, email)
    await page.goto(`${SITE_URL}/sign-in`)
    await allow(page)
    await page.waitForURL(`${SITE_URL}/`)
    assert.equal(JSON.parse((await page.textContent('body')) ?? '').email, email)
    const { url } = await (
      await page.request.post(`${SITE_URL}/api/auth/sign-out`, { headers: { origin: SITE_URL } })
    ).json()
    await page.goto(url)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${SITE_URL}/`)
    assert.equal(await page.textContent('body'), 'null')
  })

  test('better-auth.mjs does not start without a secret, because Better Auth would take a published one', async () => {
    const SITE_URL = `http://localhost:${await getFreePort()}`
    await assert.rejects(startExample('better-auth.mjs', { SITE_URL, BETTER_AUTH_SECRET: undefined }), /did not start/)
  })

  test('device.mjs greets the user who approves its code', async (t) => {
    const client = await registerExample(accounts, founder, { name: 'device', port: 0 })
    const lines = createInterface(runExample('device.mjs', { ACCOUNTS_URL: accounts.baseUrl, ...client }).stdout)
    const [shown = ''] = await once(lines, 'line')
    const greeting = once(lines, 'line')
    const page = await newPage(t)
    await signInByRequest(page, email)
    await page.goto(/Open (\S+) /.exec(shown)?.[1] ?? '')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await heading(page, 'Your device is connected')
    assert.deepEqual(await greeting, ['Hello Hilda Hire.'])
  })

  test('machine.mjs calls api.mjs with a key or a secret, for the organization of its client', async (t) => {
    const port = await getFreePort()
    await start('api.mjs', { PORT: String(port) })
    const { jwks, PRIVATE_KEY_FILE } = await makeKey(t)
    const withKey = await registerExample(accounts, founder, { name: 'machine', port, change: { jwks } })
    const change = { jwks: null, token_endpoint_auth_method: null }
    const withSecret = await registerExample(accounts, founder, { name: 'machine', port, change })
    for (const client of [{ ...withKey, PRIVATE_KEY_FILE }, withSecret]) {
      const environment = { ...client, ACCOUNTS_URL: accounts.baseUrl, API_URL: `http://localhost:${port}` }
      const { CLIENT_ID: id } = client
      const { slug } = founder.organization
      const answer = JSON.stringify({ caller: id, client: id, organization: slug, role: null })
      assert.equal(await text(runExample('machine.mjs', environment).stdout), `200 ${answer}\n`)
    }
  })

  test('api.mjs accepts access tokens for its resource only, and changes by owners and admins only', async () => {
    const port = await getFreePort()
    await start('api.mjs', { PORT: String(port) })
    const statusOf = async (token: string, method = 'GET') => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`http://localhost:${port}`, { method, headers })).status
    }
    const { slug } = founder.organization
    const app = await createTestApp(accounts)
    const resource = 'https://api.example.com'
    const ownersTokens = await signInTo(founder, app, { organization: slug, resource })
    const membersTokens = await signInTo(await signedIn(accounts, email), app, { organization: slug, resource })
    const elsewhere = await signInTo(founder, app, { organization: slug, resource: 'https://other.example.com' })
    assert.equal(await statusOf(ownersTokens.access_token, 'POST'), 200)
    assert.equal(await statusOf(membersTokens.access_token), 200)
    assert.equal(await statusOf(membersTokens.access_token, 'POST'), 403)
    const { token } = (await founder.client.get(`/api/token?org=${slug}`)).body
    const signInOnly = await signInTo(founder, app, { scope: 'openid email', resource })
    for (const refused of ['', 'x', token, ownersTokens.id_token, elsewhere.access_token, signInOnly.access_token])
      assert.equal(await statusOf(refused), 401, refused)
  })

  test('api.mjs responds with 503, not with 401, while Accounts gives it no keys', async (t) => {
    const port = await getFreePort()
    await start('api.mjs', { ACCOUNTS_URL: await startUnavailableAccounts(t), PORT: String(port) })
    const tokens = await signInTo(founder, await createTestApp(accounts), { organization: founder.organization.slug })
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    assert.equal((await fetch(`http://localhost:${port}`, { headers })).status, 503)
  })
})

/** Delivers the log-outs, as the background work of a started service does. */
async function deliverLogOuts({ context }: Service): Promise<void> {
  const signingKeys = createSigningKeys(context)
  await createLogOutDelivery(context, { signingKeys, fetch: createGuardedFetch(context.config) }).deliverDue()
}

async function makeKey(t: { after: (work: () => Promise<void>) => void }) {
  const folder = await mkdtemp(join(tmpdir(), 'accounts-docs-'))
  t.after(() => rm(folder, { recursive: true }))
  const PRIVATE_KEY_FILE = join(folder, 'private-key.json')
  return { jwks: JSON.parse(await text(runExample('make-key.mjs', { PRIVATE_KEY_FILE }).stdout)), PRIVATE_KEY_FILE }
}
