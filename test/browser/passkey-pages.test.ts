import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { newVirtualAuthenticator } from '../support/browser.ts'
import { endingSessions } from '../support/concurrently.ts'
import { inBrowser } from '../support/pages.ts'
import { holdNext, routeOnce } from '../support/route-once.ts'
import { appOfUri } from '../support/two-step.ts'
import { until } from '../support/until.ts'
import { administratorWithOrganization, invite, newMember, PASSWORD } from '../support/users.ts'
import { assertAbsent, fillSignIn, focused, heading, loaded, openSession, settled } from '../support/visits.ts'

/** A dialog of the browser that no authenticator answers, and that the event `cancel` closes. */
const STUB_OF_DIALOG = `
  globalThis.asked = []
  navigator.credentials.get = ({ mediation = 'dialog', signal }) => new Promise((_resolve, reject) => {
    asked.push(mediation)
    signal.addEventListener('abort', () => reject(signal.reason))
    addEventListener('cancel', () => reject(new DOMException('', 'NotAllowedError')))
  })`

function countRequests(page: Page, path: string): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.url().includes(path)) count += 1
  })
  return () => count
}

inBrowser('Passkeys on the pages', (pages) => {
  /** The security page of a new member, in a browser with a virtual authenticator. */
  async function visit() {
    const { service, newPage } = pages()
    const { email, client } = await newMember(service)
    const page = await newPage()
    await openSession(page, service, email)
    const authenticator = await newVirtualAuthenticator(page)
    await page.goto('/account/security')
    await page.getByText('This device', { exact: true }).waitFor()
    return { page, authenticator, email, client }
  }

  /** The page of a new user who has a passkey and no password. */
  async function signUpWithPasskey() {
    const { service, newPage } = pages()
    const { email, linkPath } = await invite(service, await administratorWithOrganization(service))
    const page = await newPage()
    await newVirtualAuthenticator(page)
    await page.goto(linkPath)
    await page.getByRole('button', { name: 'Use a passkey instead of a password' }).dblclick()
    await page.getByLabel('Your name').fill('Hilda Hire')
    await page.getByRole('button', { name: 'Create account with a passkey' }).click()
    await heading(page, 'Welcome to Example Works')
    return { page, email }
  }

  for (const way of ['a passkey', 'a password'])
    test(`A sign-up with ${way} creates no account of an invitation that another tab has opened since`, async () => {
      const { service, newPage } = pages()
      const inviter = await administratorWithOrganization(service)
      const [shown, other] = [await invite(service, inviter), await invite(service, inviter)]
      const page = await newPage()
      await newVirtualAuthenticator(page)
      await page.goto(shown.linkPath)
      await page.getByLabel('Your name').fill('Anna Hire')
      if (way === 'a passkey') await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click()
      else await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      const tab = await page.context().newPage()
      await tab.goto(other.linkPath)
      await heading(tab, 'Create your account')
      const held = await holdNext(page, '**/{sign-up/email,passkey/generate-register-options*}')
      await page.getByRole('button', { name: /^Create account/ }).click()
      await held.sent
      assert.ok(await page.getByRole('button', { name: /instead/ }).isDisabled(), 'the password would be lost')
      held.release()
      await page.getByRole('alert').getByText('This invitation is no longer open in this browser.').waitFor()
      const { database } = service.context
      const users = database.selectFrom('users').select('id').where('email', 'in', [shown.email, other.email])
      assert.deepEqual(await users.execute(), [])
    })

  test('The security page adds and renames a passkey, and removes it after step-up', async () => {
    const { page } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).click()
    assert.equal(await focused(page), 'name')
    await page.getByLabel('Name of the passkey').fill(' ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter a name').waitFor()
    await page.getByLabel('Name of the passkey').fill('My telephone')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Remove My telephone' }).waitFor()
    assert.match(await focused(page), /^Rename/)

    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('This device has a passkey for your account already.').waitFor()

    pages().service.advance(16 * 60_000)
    await page.getByRole('button', { name: 'Remove My telephone' }).click()
    await page.getByText('Remove My telephone? It stops signing you in').waitFor()
    await page.keyboard.press('Escape')
    assert.match(await focused(page), /^Remove/, 'the focus is back where it was')
    await page.getByRole('button', { name: 'Remove My telephone' }).click()
    await page.getByRole('button', { name: 'Remove this passkey' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('button', { name: 'Remove My telephone' }).waitFor({ state: 'detached' })
    await page.getByText('This device', { exact: true }).waitFor()
  })

  test('A session that is revoked during a step-up with a passkey asks to sign in, and the page goes on', async () => {
    const { page } = await visit()
    const { service } = pages()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    service.advance(16 * 60_000)
    await page.getByRole('button', { name: /^Remove/ }).click()
    await page.getByRole('button', { name: 'Remove this passkey' }).click()
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
    const revoked = { path: '/api/auth/passkey/verify-authentication', ending: 'revoked' } as const
    await endingSessions(service, revoked, async () => {
      await page
        .getByRole('dialog', { name: 'Is it still you?' })
        .getByRole('button', { name: 'Use a passkey' })
        .click()
      await dialog.waitFor()
    })
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await until(async () => (await page.getByRole('dialog').count()) === 0, 'both dialogs are closed')
    await page.getByRole('button', { name: /^Remove/ }).waitFor({ state: 'detached' })
  })

  test('A new passkey whose response is lost is shown as possibly stored, stays in the authenticator, and a limit says when to try again', async () => {
    const { page, authenticator } = await visit()
    const button = page.getByRole('button', { name: 'Add a passkey' })
    await routeOnce(page, '**/passkey/verify-registration', async (route) => {
      await route.fetch()
      await route.abort('internetdisconnected')
    })
    await button.click()
    await page.getByRole('alert').getByText('The change may have been made').waitFor()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    assert.equal((await authenticator.credentials()).length, 1, 'the authenticator still has it')
    await page.reload()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    assert.equal((await authenticator.credentials()).length, 1)
    await routeOnce(page, '**/passkey/generate-register-options', (route) =>
      route.fulfill({ status: 429, headers: { 'retry-after': '7200' }, json: { code: 'TOO_MANY_REQUESTS' } }),
    )
    await button.click()
    await page.getByRole('alert').getByText('Try again in 2 hours.').waitFor()
  })

  test('The passkey button signs in when the browser suggests no passkeys', async () => {
    const { page, email } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    // The virtual authenticator would answer the suggestion of the browser before the test clicks the button.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await heading(page, 'Sign in')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await heading(page, 'Your account')
    await page.getByLabel('You', { exact: true }).getByText(email).waitFor()
  })

  test('A suggested passkey signs in, also after the first challenge has expired', async () => {
    const { page, authenticator, email } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await heading(page, 'Your account')
    await page.getByLabel('You', { exact: true }).getByText(email).waitFor()
    await authenticator.setUserPresent(false)
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await heading(page, 'Sign in')
    await fillSignIn(page, email)
    await heading(page, 'Your account')
  })

  test('A suggested passkey that was removed says so, the browser gets another suggestion, and the form signs in', async () => {
    const { page, authenticator, email, client } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    const [passkey] = (await client.get('/api/auth/passkey/list-user-passkeys')).body
    await client.post('/api/auth/passkey/delete-passkey', { id: passkey.id })
    await page.context().clearCookies()
    const suggestions = countRequests(page, '/generate-authenticate-options')
    await routeOnce(page, '**/passkey/verify-authentication', async (route) => {
      assert.equal(suggestions(), 1)
      // The authenticator would answer the next suggestion immediately, too.
      await authenticator.setUserPresent(false)
      await route.continue()
    })
    await page.goto('/sign-in')
    const refusal = page.getByRole('alert').getByText('This passkey is unknown; it may have been deleted.')
    await refusal.waitFor()
    await until(async () => suggestions() === 2, 'the browser suggests passkeys again')
    await fillSignIn(page, email, 'a wrong guess')
    await page.getByRole('alert').getByText('don’t go together').waitFor()
    await assertAbsent(refusal)
    await fillSignIn(page, email)
    await heading(page, 'Your account')
  })

  test('A suggestion of a passkey that fails before the service verifies it stays silent', async () => {
    const { page, authenticator } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await page.context().clearCookies()
    const suggestions = countRequests(page, '/generate-authenticate-options')
    const settle = async () => {
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
      await settled(page)
      await assertAbsent(page.getByRole('alert'))
    }
    await routeOnce(page, '**/generate-authenticate-options*', (route) =>
      route.fulfill({ status: 429, json: { code: 'TOO_MANY_REQUESTS' } }),
    )
    await page.goto('/sign-in')
    await settle()
    assert.equal(suggestions(), 1)

    await authenticator.setUserVerified(false)
    await page.reload()
    await settle()
    assert.equal(suggestions(), 2)
  })

  test('A suggested passkey without a response says to try again, and the browser gets another suggestion', async () => {
    const { page, authenticator } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await page.context().clearCookies()
    const suggestions = countRequests(page, '/generate-authenticate-options')
    await routeOnce(page, '**/passkey/verify-authentication', async (route) => {
      // The authenticator would answer the next suggestion immediately, too.
      await authenticator.setUserPresent(false)
      await route.abort('internetdisconnected')
    })
    await page.goto('/sign-in')
    await page.getByRole('alert').getByText('The service can’t be reached.').waitFor()
    await until(async () => suggestions() === 2, 'the browser suggests passkeys again')
  })

  test('Suggestions never close the dialog of the passkey button, and come back after it', async () => {
    const { page } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await page.addInitScript(STUB_OF_DIALOG)
    const asked = (): Promise<string[]> => page.evaluate('asked')
    const late = Promise.withResolvers<void>()
    await routeOnce(page, '**/generate-authenticate-options*', async (route) => {
      await late.promise
      await route.continue()
    })
    await page.goto('/account')
    await page.clock.install()
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await until(async () => (await asked()).length === 1, 'the dialog is open')
    const arrived = page.waitForResponse('**/generate-authenticate-options*')
    late.resolve()
    await (await arrived).finished()
    await page.clock.fastForward('05:00')
    await settled(page)
    await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable()')
    assert.deepEqual(await asked(), ['dialog'])
    await page.evaluate("dispatchEvent(new Event('cancel'))")
    await page.getByRole('alert').getByText('Your browser used no passkey.').waitFor()
    await until(async () => (await asked()).length === 2, 'the browser suggests passkeys again')
    assert.deepEqual(await asked(), ['dialog', 'conditional'])
  })

  test('A session ends with the browser if the user decides so while the browser asks for a passkey', async () => {
    const { page } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await page.goto('/account')
    await loaded(page, 'Your account')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
    const { sent, release } = await holdNext(page, '**/generate-authenticate-options*')
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await sent
    await dialog.getByLabel('Keep me signed in on this device').uncheck()
    release()
    await page.getByText('Saved.').waitFor()
    const cookie = (await page.context().cookies()).find(({ name }) => name === 'session')
    assert.equal(cookie?.expires, -1)
  })

  test('A failed passkey ceremony shows the reason, and the password still works', async () => {
    const { page, authenticator, email } = await visit()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: /^Rename/ }).waitFor()
    await authenticator.setUserVerified(false)
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('alert').getByText('Your browser used no passkey.').waitFor()
    await fillSignIn(page, email)
    await heading(page, 'Your account')
  })

  test('Sign-up with a passkey creates an account without a password, and no page asks for one', async () => {
    const { service } = pages()
    const { page, email } = await signUpWithPasskey()
    await page.goto('/account/security')
    await page.getByText('You sign in without a password.').waitFor()
    await page.getByRole('button', { name: 'Delete my account…' }).click()
    await page.getByRole('button', { name: 'Send me the link' }).waitFor()
    assert.equal(await page.getByLabel('Your password, to verify that it is you').count(), 0)

    service.advance(16 * 60_000)
    await page.getByRole('button', { name: 'Change your email address' }).click()
    await page.getByLabel('New email address').fill(`new-${email}`)
    await page.getByRole('button', { name: 'Change address' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('Look in the new mailbox').waitFor()
    await page.getByRole('listitem').getByText('This device', { exact: true }).waitFor()
  })

  test('Two-step verification of a user without a password says nothing about their password', async () => {
    const { service } = pages()
    const { page } = await signUpWithPasskey()
    await page.goto('/account/security')
    await page.getByText('Off. Passkeys need no code.').waitFor()
    await page.getByText('remove each passkey that isn’t yours').waitFor()
    await page.getByRole('button', { name: 'Set up two-step verification' }).click()
    await page.getByText('If you choose a password later, you’ll enter a code with six digits after it.').waitFor()
    await page.getByRole('button', { name: 'Go on', exact: true }).click()
    const uri = await page.getByRole('link', { name: 'Open it with the key' }).getAttribute('href')
    await page.getByLabel('Code of your authenticator app').fill(appOfUri(uri ?? '').codeAt(service.context.now()))
    await page.getByLabel('I have stored them').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Change two-step verification' }).click()
    await page.getByText('If you choose a password later, it then signs you in without a code.').waitFor()
  })
})
