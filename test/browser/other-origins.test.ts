import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { type Operation, operations } from '../support/operations.ts'
import { type OtherSite, startOtherSite } from '../support/other-site.ts'
import { type Service, startService } from '../support/service.ts'
import { administratorWithOrganization, newEmail, PASSWORD, type TestMember } from '../support/users.ts'
import { signInByRequest } from '../support/visits.ts'

/** The part of an answer that a script of the page can read. Null if the browser hides the answer. */
interface Seen {
  status: number
  text: string
  token: string | null
}

const OPEN = [
  'get /api/auth/get-session',
  'get /api/auth/organization/list',
  'get /api/auth/token',
  'get /api/token',
  'post /api/auth/sign-out',
]

describe('Pages of other origins', () => {
  let listed: OtherSite
  let unlisted: OtherSite
  let frontEnd: OtherSite
  let abroad: OtherSite
  let accounts: Service
  let browser: Browser
  let founder: TestMember

  before(async () => {
    listed = await startOtherSite()
    unlisted = await startOtherSite()
    frontEnd = await startOtherSite()
    abroad = await startOtherSite('127.0.0.1')
    const environment = {
      RETURN_TO_ORIGINS: listed.origin,
      TRUSTED_ORIGINS: `${frontEnd.origin},${abroad.origin}`,
    }
    accounts = await startService({ engine: 'sqlite', environment })
    browser = await launchBrowser()
    founder = await administratorWithOrganization(accounts)
  })
  after(async () => {
    await browser?.close()
    await accounts?.stop()
    for (const site of [listed, unlisted, frontEnd, abroad]) site?.stop()
  })

  /** A page of the other site, in a browser with the cookie of the administrator. */
  async function openAsAdministrator({ origin }: { origin: string }): Promise<Page> {
    const context = await browser.newContext({ baseURL: accounts.baseUrl })
    const page = await context.newPage()
    await signInByRequest(page, founder.email)
    await page.goto(origin)
    return page
  }

  function ask(page: Page, { method, path }: { method: string; path: string }, body?: unknown, mode = 'cors') {
    const url = accounts.baseUrl + path
    const isJson = mode === 'cors' && body !== undefined
    return page.evaluate(
      async ([url, init]) => {
        try {
          const answer = await fetch(url as string, init as RequestInit)
          return { status: answer.status, text: await answer.text(), token: answer.headers.get('set-auth-token') }
        } catch {
          return null
        }
      },
      [
        url,
        {
          method: method.toUpperCase(),
          mode,
          credentials: 'include',
          ...(isJson && { headers: { 'content-type': 'application/json' } }),
          ...(body !== undefined && { body: JSON.stringify(body) }),
        },
      ],
    ) as Promise<Seen | null>
  }

  const get = (page: Page, path: string) => ask(page, { method: 'get', path })
  const countUsers = async () => (await founder.client.get('/api/auth/admin/list-users')).body.total as number
  /** Sends a complete user, with a preflight and without. */
  const assertCreatesNoUser = async (page: Page) => {
    const before = await countUsers()
    const user = { email: newEmail(), name: 'Mallory', password: PASSWORD, role: 'admin' }
    const createUser = { method: 'post', path: '/api/auth/admin/create-user' }
    assert.equal(await ask(page, createUser, user), null)
    await ask(page, createUser, user, 'no-cors')
    assert.equal(await countUsers(), before)
  }
  const routes = async () =>
    (await operations(accounts)).map((operation: Operation) => ({
      ...operation,
      name: `${operation.method} ${operation.path}`,
    }))

  test('A page in RETURN_TO_ORIGINS reads a token, the organizations and the session without its token', async () => {
    const page = await openAsAdministrator(listed)
    const token = await get(page, `/api/token?org=${founder.organization.slug}`)
    assert.equal(token?.status, 200)
    const [, claims = ''] = JSON.parse(token?.text ?? '').token.split('.')
    assert.equal(JSON.parse(Buffer.from(claims, 'base64url').toString()).sub, founder.id)

    const session = JSON.parse((await get(page, '/api/auth/get-session'))?.text ?? '')
    assert.equal(session.user.email, founder.email)
    assert.ok(session.session.id)
    assert.equal('token' in session.session, false)
    const cookies = await page.context().cookies(accounts.baseUrl)
    const credential = cookies.find(({ name }) => name === 'session')?.value
    assert.ok(credential)
    assert.equal(JSON.stringify(session).includes(credential), false)

    const organizations = JSON.parse((await get(page, '/api/auth/organization/list'))?.text ?? '')
    assert.ok(organizations.some(({ slug }: { slug: string }) => slug === founder.organization.slug))
    const active = await get(page, '/api/auth/token')
    assert.ok([200, 400].includes(active?.status ?? 0), 'an answer that it can read')
    await page.context().close()
  })

  test('A page in RETURN_TO_ORIGINS can create no user and call no route that does not declare other origins', async () => {
    const page = await openAsAdministrator(listed)
    await assertCreatesNoUser(page)

    const readable: string[] = []
    for (const route of await routes()) {
      if (route.name === 'post /api/auth/sign-out') continue
      if ((await ask(page, route, route.method === 'post' ? {} : undefined)) !== null) readable.push(route.name)
      await ask(page, route, undefined, 'no-cors')
    }
    assert.deepEqual(
      readable.sort(),
      OPEN.filter((name) => name !== 'post /api/auth/sign-out'),
    )
    const session = await get(page, '/api/auth/get-session')
    assert.notEqual(session?.text, 'null', 'nothing that was sent without a preflight ended the session')
    await page.context().close()
  })

  test('A page in RETURN_TO_ORIGINS signs the user out', async () => {
    const page = await openAsAdministrator(listed)
    assert.equal((await ask(page, { method: 'post', path: '/api/auth/sign-out' }, {}))?.status, 200)
    assert.equal((await get(page, '/api/auth/get-session'))?.text, 'null')
    const cookies = await page.context().cookies(accounts.baseUrl)
    assert.deepEqual(
      cookies.filter(({ name }) => name === 'session'),
      [],
    )
    await page.context().close()
  })

  test('A page of an origin that is not listed can read nothing, create no user and revoke no session', async () => {
    const page = await openAsAdministrator(unlisted)
    await assertCreatesNoUser(page)
    for (const route of await routes()) {
      assert.equal(await ask(page, route, route.method === 'post' ? {} : undefined), null, route.name)
      await ask(page, route, undefined, 'no-cors')
    }
    const own = await page.context().newPage()
    await own.goto(accounts.baseUrl)
    assert.notEqual((await get(own, '/api/auth/get-session'))?.text, 'null')
    await page.context().close()
  })

  test('A page in TRUSTED_ORIGINS on another site signs in and calls with the bearer token', async () => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(abroad.origin)
    const credentials = { email: founder.email, password: PASSWORD }
    const signedIn = await ask(page, { method: 'post', path: '/api/auth/sign-in/email' }, credentials)
    assert.ok(signedIn?.token)
    assert.equal((await get(page, '/api/auth/get-session'))?.text, 'null', 'the cookie does not travel')
    const list = await page.evaluate(
      async ([url, token]) => (await fetch(url as string, { headers: { authorization: `Bearer ${token}` } })).text(),
      [`${accounts.baseUrl}/api/auth/admin/list-users`, signedIn.token],
    )
    assert.equal(JSON.parse(list).total, await countUsers())
    await page.context().close()
  })

  test('A page in TRUSTED_ORIGINS creates a user and reads the session token', async () => {
    const page = await openAsAdministrator(frontEnd)
    const before = await countUsers()
    const user = { email: newEmail(), name: 'New Colleague', password: PASSWORD }
    const created = await ask(page, { method: 'post', path: '/api/auth/admin/create-user' }, user)
    assert.equal(created?.status, 200)
    assert.equal(await countUsers(), before + 1)
    const session = JSON.parse((await get(page, '/api/auth/get-session'))?.text ?? '')
    const signedIn = await ask(
      page,
      { method: 'post', path: '/api/auth/sign-in/email' },
      { email: founder.email, password: PASSWORD },
    )
    assert.ok(session.session.token)
    assert.equal(signedIn?.token, JSON.parse(signedIn?.text ?? '').token)
    await page.context().close()
  })
})
