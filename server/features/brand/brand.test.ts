import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startService } from '../../../test/support/service.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { administrator } from '../../../test/support/users.ts'

const PAYROLL = 'https://payroll.example.com'
const MARK =
  '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'

async function branded(t: TestContext, environment: Record<string, string> = {}) {
  const folder = createTemporaryFolder(t)
  writeFileSync(join(folder, 'mark.svg'), MARK)
  const service = await startService({
    engine: 'sqlite',
    environment: { BRAND_MARK: join(folder, 'mark.svg'), ...environment },
  })
  t.after(() => service.stop())
  return service
}

test('GET /api/settings returns the brand, the addresses and the services, and may be stored for a minute', async (t) => {
  const service = await branded(t, {
    BRAND_NAME: 'Example & Works',
    BRAND_ACCENT: '#7A1F5C',
    SUPPORT_URL: 'mailto:help@example.com',
    PRIVACY_URL: 'https://example.com/privacy',
    SERVICES: JSON.stringify([
      { name: 'Payroll', origin: `${PAYROLL}/`, icon: 'data:image/png;base64,AAAA' },
      { name: 'Wiki', origin: 'https://wiki.example.com' },
    ]),
  })
  const before = await service.client().get('/api/settings')
  assert.deepEqual([before.body.isSetUp, before.headers.get('cache-control')], [false, 'no-cache'])
  await administrator(service)
  const { status, body, headers } = await service.client().get('/api/settings')
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'public, max-age=60')
  assert.deepEqual(body, {
    isSetUp: true,
    relyingPartyId: 'localhost',
    organizationCreation: 'verified',
    brandName: 'Example & Works',
    mark: '/brand/mark',
    accent: '#7a1f5c',
    supportUrl: 'mailto:help@example.com',
    privacyUrl: 'https://example.com/privacy',
    services: [
      { name: 'Payroll', origin: PAYROLL, icon: 'data:image/png;base64,AAAA' },
      { name: 'Wiki', origin: 'https://wiki.example.com', icon: null },
    ],
  })
  const page = await service.client().get('/sign-in')
  assert.match(page.body, /<title>Example &amp; Works<\/title>/)
  assert.match(page.body, /<meta name="application-name" content="Example &amp; Works"/)
  assert.doesNotMatch(page.body, /Accounts/)
})

test('A service in SERVICES is an origin that browsers may return to', async (t) => {
  const service = await branded(t, { SERVICES: JSON.stringify([{ name: 'Payroll', origin: PAYROLL }]) })
  assert.equal((await service.client().get(`/sign-in?next=${PAYROLL}`)).status, 200)
  assert.equal((await service.client().get('/sign-in?next=https://wiki.example.com')).status, 400)
})

test('/brand/mark is the picture in BRAND_MARK, with its own type, and /brand.css has both schemes of BRAND_ACCENT', async (t) => {
  const service = await branded(t, { BRAND_ACCENT: '#7a1f5c' })
  const mark = await service.client().get('/brand/mark')
  assert.deepEqual([mark.status, mark.headers.get('content-type'), mark.body], [200, 'image/svg+xml', MARK])
  const style = await service.client().get('/brand.css')
  assert.equal(style.headers.get('content-type'), 'text/css; charset=utf-8')
  assert.match(style.body, /^html:root { --accent: #7a1f5c; .*\n@media \(prefers-color-scheme: dark\) {\nhtml:root/)
})

test('Without a brand, /brand/mark is our own mark and /brand.css is empty', async (t) => {
  const service = await branded(t, { BRAND_MARK: '' })
  const { body } = await service.client().get('/api/settings')
  assert.deepEqual([body.brandName, body.mark, body.accent], ['Accounts', null, '#0f5c4d'])
  assert.match((await service.client().get('/brand/mark')).body, /^<svg/)
  assert.equal((await service.client().get('/brand.css')).body, '')
})

test('BRAND_NAME is the name of passkeys, and counts as a word that makes a password personal', async (t) => {
  const service = await branded(t, { BRAND_NAME: 'Examplecorp' })
  const { client } = await administrator(service)
  const { body: options } = await client.get('/api/auth/passkey/generate-register-options')
  assert.equal(options.rp.name, 'Examplecorp')
  const { body } = await client.post('/api/auth/admin/create-user', {
    name: 'Hilda Hire',
    email: 'hilda@example.com',
    password: 'examplecorp26',
  })
  assert.equal(body.code, 'PASSWORD_TOO_PERSONAL')
})
