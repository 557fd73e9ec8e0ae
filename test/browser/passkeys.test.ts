import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser, newVirtualAuthenticator } from '../support/browser.ts'
import { buildPasskeyPage, openPasskeyPage, type PasskeyPage } from '../support/passkey-browser.ts'
import { type Service, startService } from '../support/service.ts'
import { administratorWithOrganization, invite, newMember, PASSWORD } from '../support/users.ts'

const KINDS = ['internal', 'usb'] as const

// The endpoints run on both engines with a software authenticator: server/features/account/passkeys.
describe('The official client, in a browser,', () => {
  let service: Service
  let browser: Browser
  let script: string

  before(async () => {
    script = await buildPasskeyPage()
    service = await startService({ engine: 'sqlite' })
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  /** Records the mediation of `navigator.credentials.get`, which tells the kind of ceremony. */
  const watchMediation = `{
  const get = navigator.credentials.get.bind(navigator.credentials)
  navigator.credentials.get = (options) => { globalThis.mediation = options.mediation; return get(options) }
}`

  async function signedInPage(): Promise<PasskeyPage & { email: string; id: string }> {
    const { email, id } = await newMember(service)
    const opened = await openPasskeyPage(browser, service, script)
    const { error } = await opened.run(`client.signIn.email({ email: '${email}', password: '${PASSWORD}' })`)
    assert.equal(error, null)
    return { ...opened, email, id }
  }

  for (const transport of KINDS) {
    test(`The official client adds, uses, renames and deletes a passkey on an authenticator of kind ${transport}`, async () => {
      const { page, run, violations, close, id, email } = await signedInPage()
      const authenticator = await newVirtualAuthenticator(page, { transport })
      const attachment = transport === 'internal' ? 'platform' : 'cross-platform'
      const added = await run(`client.passkey.addPasskey({ name: 'First', authenticatorAttachment: '${attachment}' })`)
      assert.equal(added.error, null, JSON.stringify(added.error))
      assert.equal(added.data?.name, 'First')
      assert.equal(added.data?.transports, transport)
      const [credential] = await authenticator.credentials()
      assert.equal(
        Buffer.from(credential?.credentialId ?? '', 'base64').toString('base64url'),
        added.data?.credentialID,
      )
      const twice = await run('client.passkey.addPasskey({})')
      assert.equal(twice.error?.code, 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')

      const reauthenticated = await run('client.signIn.passkey()')
      assert.equal(reauthenticated.data?.user?.id, id)
      await run('client.signOut()')
      assert.equal((await run('client.getSession()')).data, null)
      const signedIn = await run('client.signIn.passkey()')
      assert.equal(signedIn.data?.user?.email, email)
      assert.equal((await run('client.getSession()')).data?.user?.id, id)

      const list = await run<{ data: { id: string; counter: number }[] }>('client.passkey.listUserPasskeys()')
      assert.equal(list.data.length, 1)
      assert.equal(list.data[0]?.counter, (await authenticator.credentials())[0]?.signCount)
      const passkeyId = list.data[0]?.id
      const renamed = await run(`client.passkey.updatePasskey({ id: '${passkeyId}', name: 'Second' })`)
      assert.equal(renamed.data?.passkey?.name, 'Second')
      const deleted = await run(`client.passkey.deletePasskey({ id: '${passkeyId}' })`)
      assert.deepEqual(deleted.data, { status: true })
      await run('client.signOut()')
      const refused = await run('client.signIn.passkey()')
      assert.equal(refused.error?.status, 401)
      assert.equal(refused.error?.code, 'UNKNOWN_PASSKEY')
      assert.deepEqual(violations, [])
      await close()
    })

    test(`An authenticator of kind ${transport} without stored passkeys or user verification creates no passkey`, async () => {
      const { page, run, close } = await signedInPage()
      for (const hasResidentKey of [true, false]) {
        for (const hasUserVerification of [true, false]) {
          const options = { transport, hasResidentKey, hasUserVerification }
          const authenticator = await newVirtualAuthenticator(page, options)
          const { error } = await run('client.passkey.addPasskey({})')
          assert.equal(error === null, hasResidentKey && hasUserVerification, JSON.stringify(options))
          await authenticator.remove()
        }
      }
      assert.equal((await run<{ data: unknown[] }>('client.passkey.listUserPasskeys()')).data.length, 1)
      await close()
    })

    test(`An authenticator of kind ${transport} whose user verification fails does not sign in`, async () => {
      const { page, run, close } = await signedInPage()
      const authenticator = await newVirtualAuthenticator(page, { transport })
      assert.equal((await run('client.passkey.addPasskey({})')).error, null)
      await run('client.signOut()')
      await authenticator.setUserVerified(false)
      assert.notEqual((await run('client.signIn.passkey()')).error, null)
      assert.equal((await run('client.getSession()')).data, null)
      await close()
    })
  }

  // Chromium suggests passkeys of the device, not of a security key.
  test('The official client signs in with a suggested passkey', async () => {
    const { page, run, close, id } = await signedInPage()
    await newVirtualAuthenticator(page)
    assert.equal((await run('client.passkey.addPasskey({})')).error, null)
    await run('client.signOut()')
    await run(`(() => ${watchMediation})()`)
    const answer = await run('client.signIn.passkey({ autoFill: true })')
    assert.equal(await run('globalThis.mediation'), 'conditional')
    assert.equal(answer.data?.user?.id, id, JSON.stringify(answer.error))
    await close()
  })

  test('A registration without user verification is refused', async () => {
    const { page, run, close } = await signedInPage()
    await newVirtualAuthenticator(page, { transport: 'usb', hasUserVerification: false })
    await page.route('**/generate-register-options*', async (route) => {
      const answer = await route.fetch()
      const options = await answer.json()
      options.authenticatorSelection = { userVerification: 'discouraged', residentKey: 'discouraged' }
      await route.fulfill({ response: answer, json: options })
    })
    const { error } = await run('client.passkey.addPasskey({})')
    assert.equal(error?.code, 'USER_VERIFICATION_REQUIRED')
    await close()
  })

  test('The official client signs up with an invitation and a passkey, and signs in again', async () => {
    const { email, linkPath } = await invite(service, await administratorWithOrganization(service))
    const { page, run, close } = await openPasskeyPage(browser, service, script)
    await newVirtualAuthenticator(page)
    await page.goto(service.baseUrl + linkPath)
    await page.goto(`${service.baseUrl}/test-passkeys.html`)
    const made = await run("client.passkey.addPasskey({ name: 'Hilda Hire', context: 'sign-up', createSession: true })")
    assert.equal(made.error, null, JSON.stringify(made.error))
    const { user } = made.data ?? {}
    assert.deepEqual([user?.email, user?.name, user?.emailVerified], [email, 'Hilda Hire', true])
    assert.equal((await run('client.getSession()')).data?.user?.email, email)
    await run('client.signOut()')
    const again = await run('client.signIn.passkey()')
    assert.equal(again.data?.user?.email, email)
    await close()
  })
})
