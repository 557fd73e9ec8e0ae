import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { inTransaction } from '../../server/core/in-transaction.ts'
import { SHOWN_ACTIONS } from '../../server/features/account/security-events/shown-events.ts'
import { newVirtualAuthenticator } from '../support/browser.ts'
import { measureLayoutShift } from '../support/layout-shift.ts'
import { MOMENT_NEAR_NOW } from '../support/moments.ts'
import { inBrowser } from '../support/pages.ts'
import { holdNext, routeOnce } from '../support/route-once.ts'
import { until } from '../support/until.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  newEmail,
  newMember,
  PASSWORD,
  signedIn,
} from '../support/users.ts'
import {
  assertAbsent,
  fillSignIn,
  focused,
  heading,
  impersonate,
  openSession,
  waitForFocus,
} from '../support/visits.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

inBrowser('Security page', (pages) => {
  const visit = async (email: string, fragment = ''): Promise<Page> => {
    const page = await pages().newPage()
    await openSession(page, pages().service, email)
    await page.goto(`/account/security${fragment}`)
    await heading(page, 'Security')
    return page
  }

  test('/.well-known/change-password opens the password row, also after sign-in, and Cancel closes it', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage()
    await page.goto('/.well-known/change-password')
    await fillSignIn(page, email)
    await waitForFocus(page.getByLabel('Current password'))
    await page.getByRole('button', { name: 'Cancel Password' }).click()
    assert.equal(await page.getByLabel('Current password').count(), 0)
    assert.equal(await focused(page), 'Change your password')
    assert.equal(new URL(page.url()).hash, '')
  })

  test('The security page does not jump when its passkeys come late', async () => {
    const { email } = await newMember(pages().service)
    const page = await pages().newPage({ viewport: { width: 320, height: 800 } })
    const layoutShift = await measureLayoutShift(page)
    await openSession(page, pages().service, email)
    const { promise: listAllowed, resolve } = Promise.withResolvers<void>()
    await page.route('**/passkey/list-user-passkeys', async (route) => {
      await listAllowed
      await route.continue()
    })
    await Promise.all([page.waitForResponse('**/two-factor/get-status'), page.goto('/account/security')])
    await heading(page, 'Security')
    await layoutShift()
    resolve()
    await page.getByRole('button', { name: 'Set up two-step verification' }).waitFor()
    await page.getByText('What happened to your account').waitFor()
    assert.ok((await layoutShift()) < 0.01, String(await layoutShift()))
  })

  test('The skip link leads to the content and leaves the open setting with its typed text', async () => {
    const { email } = await newMember(pages().service)
    const page = await visit(email, '#password')
    const field = page.getByLabel('Current password', { exact: true })
    await field.fill(PASSWORD)
    await page.getByRole('link', { name: 'Skip to the content' }).press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'content')
    assert.equal(await field.inputValue(), PASSWORD)
    assert.equal(new URL(page.url()).hash, '#password')
  })

  test('The password field says how hard a password is to guess, and names personal words and patterns', async () => {
    const { email } = await newMember(pages().service)
    const page = await visit(email, '#password')
    const field = page.getByLabel('New password', { exact: true })
    for (const [password, sentence] of [
      [email, 'mostly your name, your address'],
      ['123412341234', 'it repeats, counts or follows the keyboard'],
      ['Summer2026!', 'Easy to guess. Add'],
      ['purple kettle', 'Easy to guess. Add'],
      ['purple kettle blue', 'Not easy to guess'],
      ['purple kettle of seven', 'Hard to guess.'],
      ['purple kettle of seven lazy giraffes', 'Very hard to guess.'],
    ] as const) {
      await field.fill(password)
      await page.getByText(sentence).waitFor()
    }
  })

  test('The history tells sign-ins, failures and impersonations in sentences, ten at a time', async () => {
    const { service } = pages()
    const { email, id } = await newMember(pages().service)
    const { client } = await administrator(service)
    await client.post('/api/auth/admin/impersonate-user', { userId: id, reason: 'Ticket 12' })
    const headers = { 'user-agent': FIREFOX }
    for (let sessions = 0; sessions < 9; sessions += 1) await signedIn(service, email, PASSWORD, FIREFOX)
    await service.client().post('/api/auth/sign-in/email', { email, password: 'a wrong guess' }, { headers })
    await service.context.repeatedEvents.save()
    const page = await visit(email)
    const history = page.getByRole('region', { name: 'What happened to your account' })
    await history.getByText('A sign-in with your password failed.').waitFor()
    await history.getByText('Firefox on Linux signed in with your password.').first().waitFor()
    assert.equal(await history.getByRole('listitem').count(), 10)
    const another = await signedIn(service, email, PASSWORD, FIREFOX)
    const { body } = await another.client.get('/api/auth/list-security-events?limit=50')
    const earlier = '**/list-security-events*offset=10*'
    await routeOnce(page, earlier, (route) =>
      route.fulfill({ status: 429, json: { code: 'TOO_MANY_REQUESTS', message: 'Too many tries.' } }),
    )
    await history.getByRole('button', { name: 'Show earlier events' }).click()
    const retry = history.getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    const held = await holdNext(page, earlier)
    const sent = page.waitForRequest(earlier)
    await retry.click()
    await sent
    assert.ok(await history.getByRole('button', { name: 'Trying…' }).isDisabled())
    held.release()
    await history.getByText('The staff of this service started to impersonate you.').waitFor()
    const shown = await history.getByRole('listitem').count()
    assert.equal(shown, body.events.length - 1, 'a new event repeats none of the earlier ones')
    await page.getByRole('region', { name: 'Who impersonated you' }).getByText('Ada Admin').waitFor()
  })

  test('Every event of the history has a sentence', async () => {
    const { context } = pages().service
    const { email, id } = await newMember(pages().service)
    const actor = { ...OPERATOR, actorId: id, ipAddress: '10.1.2.3', userAgent: FIREFOX }
    const details = {
      name: 'My laptop',
      role: 'support',
      before: 'user',
      expiresAt: context.now(),
      count: 2,
      remaining: 9,
    }
    await inTransaction(context, actor, async ({ record }) => {
      for (const action of SHOWN_ACTIONS) await record({ action, subjectId: id, details })
    })
    const page = await visit(email)
    const history = page.getByRole('region', { name: 'What happened to your account' })
    const earlier = history.getByRole('button', { name: 'Show earlier events' })
    for (let shown = 10; shown < SHOWN_ACTIONS.length; shown += 10) {
      await earlier.click()
      await history.getByRole('listitem').nth(shown).waitFor()
    }
    const sentences = (await history.getByRole('listitem').allTextContents()).join('\n')
    assert.match(sentences, /The passkey “My laptop” was removed\./)
    assert.match(sentences, /changed your role from User to Support\./)
    assert.match(sentences, new RegExp(`banned your account until ${MOMENT_NEAR_NOW}`))
    assert.doesNotMatch(sentences, /undefined|Invalid Date/)
    for (const action of SHOWN_ACTIONS) assert.ok(!sentences.includes(action), action)
  })

  test('The security page tells staff who impersonate a user that only the user sees it', async () => {
    const { service } = pages()
    const { id, email } = await newMember(pages().service)
    const page = await visit((await administrator(service)).email)
    await impersonate(page, id)
    await page.goto('/account/security')
    await page.getByText(`Only ${email} can see and change how they sign in.`).waitFor()
    await assertAbsent(page.getByRole('alert'))
  })

  test('The deletion names the organizations that it deletes, or what prevents it, before it offers an email', async () => {
    const { service } = pages()
    const first = await administratorWithOrganization(service)
    const { email, client } = await member(service, first)
    const slug = newEmail().replace(/[^a-z0-9]/g, '-')
    await client.post('/api/auth/organization/create', { name: 'Alone Works', slug })
    const page = await visit(email, '#deletion')
    const section = page.getByRole('region', { name: 'Delete your account' })
    await section.getByText('because you are their only member').waitFor()
    const names = await section.getByRole('listitem').allTextContents()
    assert.deepEqual(names, ['Alone Works', 'Example Works'])

    const blocked = await visit(first.email, '#deletion')
    await blocked.getByText('You are the last administrator of this service.').waitFor()
    await blocked.getByRole('main').getByRole('link', { name: 'Example Works' }).first().waitFor()
    assert.equal(await blocked.getByRole('button', { name: 'Send me the link' }).count(), 0)
  })

  test('A passkey is named after its browser, and the authenticator forgets a passkey that is removed', async () => {
    const { email } = await newMember(pages().service)
    const page = await visit(email)
    const authenticator = await newVirtualAuthenticator(page)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('Passkey made in Chrome on Linux').first().waitFor()
    await page.getByText('On one device only.').waitFor()
    assert.equal((await authenticator.credentials()).length, 1)
    await page.getByRole('button', { name: 'Remove Passkey made in Chrome on Linux' }).click()
    await page.getByRole('button', { name: 'Remove this passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor({ state: 'detached' })
    await until(async () => (await authenticator.credentials()).length === 0, 'the authenticator has no passkey')
  })

  test('The authenticator keeps a passkey that was added after the page had read the list', async () => {
    const { email } = await newMember(pages().service)
    const page = await visit(email)
    const authenticator = await newVirtualAuthenticator(page)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const rename = page.getByRole('button', { name: /^Rename/ })
    await rename.waitFor()
    await routeOnce(page, '**/list-user-passkeys', (route) => route.fulfill({ json: [] }))
    await page.goto('/account')
    await page.getByRole('button', { name: 'Not now' }).waitFor()
    await page.getByRole('link', { name: 'Change your email address' }).click()
    await heading(page, 'Security')
    await rename.waitFor()
    assert.equal((await authenticator.credentials()).length, 1)
  })
})
