import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maliciousUrls } from '../../../test/support/malicious-urls.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { pagePaths, pagesWithNext } from '../../../web/shared/pages.ts'

const APP = 'https://app.example.com'
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-site',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // The test service uses http.
  'strict-transport-security': null,
}
const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml' } }

onEachDatabase(
  'Page routes',
  (service, engine) => {
    test('Every page of the list is served, with an allowed next too', async () => {
      const client = service().client()
      for (const path of [...pagePaths, ...pagesWithNext.map((page) => `${page}?next=${APP}`)]) {
        const answer = await client.get(path)
        assert.equal(answer.status, 200, path)
        assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
        assert.match(answer.body, /<div id="root">/)
      }
    })

    // The check reads no database.
    if (engine === 'sqlite')
      test('GHSA-vp58-j275-797x: every page with next refuses a malicious next', async () => {
        const client = service().client()
        for (const path of pagesWithNext) {
          for (const url of maliciousUrls) {
            const answer = await client.get(`${path}?next=${encodeURIComponent(url.toWellFormed())}`)
            assert.equal(answer.status, 400, `${path} ${JSON.stringify(url)}`)
            assert.equal(answer.headers.get('location'), null)
          }
        }
      })

    test('A refused address gets a page with the error code, the status and no text from the request', async () => {
      const missing = await service().client().get('/nothing<script>alert(1)</script>', asBrowser)
      assert.equal(missing.status, 404)
      assert.match(missing.body, /<html data-error="NOT_FOUND"/)
      const refused = await service().client().get('/sign-in?next=https://evil.example/%3Cscript%3E', asBrowser)
      assert.equal(refused.status, 400)
      assert.match(refused.body, /<html data-error="INVALID_CALLBACK_URL"/)
      for (const { body } of [missing, refused]) assert.doesNotMatch(body, /alert|evil/)
    })

    test('Assets are cached without end, and no other file can be read', async () => {
      const client = service().client()
      const page = await client.get('/sign-in')
      const script = /src="(\/assets\/[^"]+)"/.exec(page.body)?.[1] ?? ''
      const asset = await client.get(script)
      assert.equal(asset.status, 200)
      assert.match(asset.headers.get('cache-control') ?? '', /max-age=31536000, immutable/)
      for (const path of [
        '/assets/..%2f..%2fpackage.json',
        '/assets/%2e%2e%2findex.html',
        '/assets/.env',
        '/assets/a%00.js',
        '/assets/none.js',
      ]) {
        assert.ok([400, 404].includes((await client.get(path)).status), path)
      }
    })

    test('Every response has the content security policy, the other security headers and a request id', async () => {
      const client = service().client()
      for (const path of ['/sign-in', '/api/auth/ok', '/api/auth/get-session', '/nothing', '/%zz']) {
        const { headers } = await client.get(path)
        for (const [name, value] of Object.entries(SECURITY_HEADERS))
          assert.equal(headers.get(name), value, `${name} of ${path}`)
        assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      }
    })
  },
  { RETURN_TO_ORIGINS: APP },
)
