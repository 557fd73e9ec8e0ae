import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NAME_DESCRIPTION } from '../../server/platform/http/names.ts'
import type { Answer } from '../support/client.ts'
import { pngOf } from '../support/png.ts'
import { onEachDatabase } from '../support/service.ts'
import { administratorWithOrganization, newEmail, PASSWORD, type TestMember } from '../support/users.ts'

/** A call that is valid except for one field. `field` is its name in the error. */
type Call = [path: string, field: string, body: (value: string) => unknown]

const newCredentials = () => ({ email: newEmail(), password: PASSWORD })

const NAME_FIELDS: Call[] = [
  ['/api/auth/sign-up/email', 'name', (name) => ({ ...newCredentials(), name })],
  ['/api/auth/update-user', 'name', (name) => ({ name })],
  ['/api/auth/admin/create-user', 'name', (name) => ({ ...newCredentials(), name })],
  ['/api/auth/admin/update-user', 'data.name', (name) => ({ userId: 'usr_x', data: { name } })],
  ['/api/auth/organization/create', 'name', (name) => ({ slug: 'disguised', name })],
  ['/api/auth/organization/update', 'data.name', (name) => ({ data: { name } })],
  ['/api/auth/admin/create-organization', 'name', (name) => ({ slug: 'disguised', ownerEmail: newEmail(), name })],
  ['/api/auth/passkey/update-passkey', 'name', (name) => ({ id: 'pky_x', name })],
  ['/api/auth/passkey/verify-registration', 'name', (name) => ({ name, response: {} })],
  ['/api/setup', 'name', (name) => ({ ...newCredentials(), token: 'x', name })],
]

const LINE_FIELDS: Call[] = [
  ['/api/auth/admin/ban-user', 'banReason', (banReason) => ({ userId: 'usr_x', banReason })],
  ['/api/auth/admin/impersonate-user', 'reason', (reason) => ({ userId: 'usr_x', reason })],
  ['/api/auth/api-key/create', 'name', (name) => ({ name })],
  ['/api/auth/oauth2/create-client', 'client_name', (client_name) => ({ client_name })],
]

const IMAGE_FIELDS: Call[] = [
  ['/api/auth/sign-up/email', 'image', (image) => ({ ...newCredentials(), name: 'Ann', image })],
  ['/api/auth/update-user', 'image', (image) => ({ image })],
  ['/api/auth/admin/create-user', 'data.image', (image) => ({ ...newCredentials(), name: 'Ann', data: { image } })],
  ['/api/auth/admin/update-user', 'data.image', (image) => ({ userId: 'usr_x', data: { image } })],
  ['/api/auth/organization/create', 'logo', (logo) => ({ name: 'Works', slug: 'disguised', logo })],
  ['/api/auth/organization/update', 'data.logo', (logo) => ({ data: { logo } })],
]

const DIRECTION_CHARACTERS = ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069']

/** Format characters (\p{Cf}) and default-ignorable letters. */
const INVISIBLE = ['\u3164', '\u115f', '\u2800', 'Ann\u200b', 'Ann\u200f', 'Ann\u00adBob', 'Ann\u3164']
const LINKS_AND_NUMBERS = ['Win at evil.com', 'https://evil.example/', 'Call +49 30 1234567']

onEachDatabase('Disguised text', (service) => {
  test('Blank text, line ends and text-direction characters are refused in every line of text', async () => {
    const values = [
      '   ',
      '\u00a0\u3000',
      ...['\u200b', '\u3164', '\u2800', '\u00ad', ' \u115f\u1160 ', '\u{e0041}'],
      'Ann\nBob',
      'Ann\u2028Bob',
      ...DIRECTION_CHARACTERS.map((message) => `Ann ${message}boB`),
    ]
    const expectedMessage =
      'one line of text, without control and text-direction characters, and not only spaces or invisible characters.'
    await assertRefused(await administratorWithOrganization(service()), LINE_FIELDS, values, expectedMessage)
    const nameMessage = `${NAME_DESCRIPTION}.`
    await assertRefused(
      await administratorWithOrganization(service()),
      NAME_FIELDS,
      [...values, ...INVISIBLE, ...LINKS_AND_NUMBERS],
      nameMessage,
    )
  })

  test('Addresses of pictures are refused unless they are https or http without a user name, or a small JPEG or PNG', async () => {
    const values = [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'vbscript:x',
      'file:///etc/passwd',
      'mailto:https://example.com',
      'https://ada:secret@example.com/a.png',
      'http://ada@example.com',
      'data:image/svg+xml;base64,PHN2Zy8+',
      'data:image/png;base64,PHN2Zy8+',
    ]
    const expectedMessage =
      'the address of a picture: https:// or http:// without user name and password, or data: with a JPEG or PNG of at most 512 × 512 pixels.'
    await assertRefused(await administratorWithOrganization(service()), IMAGE_FIELDS, values, expectedMessage)
  })

  test('Text-direction characters are refused in a query', async () => {
    const { client } = await administratorWithOrganization(service())
    const query = `?name=${encodeURIComponent('Ann \u202eboB')}`
    const answer = await client.get(`/api/auth/passkey/generate-register-options${query}`)
    assert.deepEqual([answer.status, answer.body.field], [400, 'name'])
  })

  test('The name of an API key may contain an invisible character, which scripts and emoji need', async () => {
    const { client } = await administratorWithOrganization(service())
    for (const name of ['می\u200cخواهم', '👩\u200d💻', '🔑\ufe0f', '-'])
      assert.equal((await client.post('/api/auth/api-key/create', { name })).body.name, name)
  })

  test('An app with a stored name of invisible characters can be read and changed', async () => {
    const { client } = await administratorWithOrganization(service())
    const redirect_uris = ['https://app.example.com/callback']
    const { body } = await client.post('/api/auth/oauth2/create-client', { client_name: 'App', redirect_uris })
    const { client_id } = body
    const stored = service().context.database.updateTable('oauthClients').where('id', '=', client_id)
    await stored.set({ name: '\u200b' }).execute()
    const update = { redirect_uris: ['https://app.example.com/other'] }
    const changed = await client.post('/api/auth/oauth2/update-client', { client_id, update })
    assert.deepEqual([changed.status, changed.body.client_name], [200, '\u200b'])
    assert.equal((await client.get(`/api/auth/oauth2/get-client?client_id=${client_id}`)).body.client_name, '\u200b')
  })

  test('Names in any script and pictures from the pages are accepted', async () => {
    const { client } = await administratorWithOrganization(service())
    for (const name of ['محمد علی', 'דוד', 'खान', '李小龍', ' O’Neil ', 'Ann 👩'])
      assert.equal((await client.post('/api/auth/update-user', { name })).body.user?.name, name)
    const images = ['https://example.com/@ada/a.png?of=a@b', 'http://example.com', pngOf(1, 1)]
    for (const image of images)
      assert.equal((await client.post('/api/auth/update-user', { image })).body.user?.image, image)
  })
})

/** Asserts for each call and value that the error names the field and the rule, and does not repeat the value. */
async function assertRefused(
  { client }: TestMember,
  calls: Call[],
  values: string[],
  expectedMessage: string,
): Promise<void> {
  for (const [path, field, body] of calls) {
    for (const [index, value] of values.entries()) {
      const headers = { 'x-forwarded-for': `2001:db8:${index.toString(16)}::1` }
      const answer: Answer = await client.post(path, body(value), { headers })
      const { code, message } = answer.body
      assert.deepEqual([answer.status, code], [400, 'VALIDATION_ERROR'], `${path} ${JSON.stringify(value)}`)
      assert.equal(message, `${field} must be ${expectedMessage}`)
    }
  }
}
