import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser, newVirtualAuthenticator } from './browser.ts'

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>Accounts</title><h1>Grüße</h1>')
})
/** Runs in the page and registers a passkey. It is a string, because the types of the tests have no DOM. */
const register = `(async () => {
  const credential = await navigator.credentials.create({
    publicKey: {
      challenge: new Uint8Array(32),
      rp: { name: 'Accounts' },
      user: { id: new Uint8Array([7]), name: 'ada@example.com', displayName: 'Ada' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    },
  })
  return { type: credential.type, id: credential.id }
})()`

describe('The browser', () => {
  let browser: Browser
  let pageUrl: string

  before(async () => {
    browser = await launchBrowser()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    pageUrl = `http://localhost:${(server.address() as AddressInfo).port}/`
  })

  after(async () => {
    await browser?.close()
    server.close()
  })

  test('The browser renders a page with its own fonts', async () => {
    const page = await browser.newPage()
    await page.goto(pageUrl)

    assert.equal(await page.title(), 'Accounts')
    assert.ok((await page.locator('h1').boundingBox())?.width)
    await page.close()
  })

  for (const transport of ['internal', 'usb'] as const) {
    test(`The browser creates a passkey on an authenticator of kind ${transport}`, async () => {
      const page = await browser.newPage()
      await page.goto(pageUrl)
      const authenticator = await newVirtualAuthenticator(page, { transport })

      const created = await page.evaluate<{ type: string; id: string }>(register)

      const [credential] = await authenticator.credentials()
      assert.equal(created.type, 'public-key')
      assert.equal(credential?.rpId, 'localhost')
      assert.equal(Buffer.from(credential.credentialId, 'base64').toString('base64url'), created.id)
      await page.close()
    })
  }

  test('The browser creates no passkey when user verification fails', async () => {
    const page = await browser.newPage()
    await page.goto(pageUrl)
    const authenticator = await newVirtualAuthenticator(page)
    await authenticator.setUserVerified(false)

    await assert.rejects(page.evaluate(register), /NotAllowedError/)
    await page.close()
  })
})
