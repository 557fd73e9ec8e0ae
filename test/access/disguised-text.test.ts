import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NAME_DESCRIPTION } from '../../server/platform/http/names.ts'
import type { Answer } from '../support/client.ts'
import { onEachDatabase } from '../support/service.ts'
import { newEmail, type Owner, owner, PASSWORD } from '../support/users.ts'

/** Right but for one field, which is put in. The field's name is as the answer calls it. */
type Call = [path: string, field: string, body: (value: string) => unknown]

const invented = () => ({ email: newEmail(), password: PASSWORD })

const NAMES: Call[] = [
  ['/api/auth/sign-up/email', 'name', (name) => ({ ...invented(), name })],
  ['/api/auth/update-user', 'name', (name) => ({ name })],
  ['/api/auth/admin/create-user', 'name', (name) => ({ ...invented(), name })],
  ['/api/auth/admin/update-user', 'data.name', (name) => ({ userId: 'usr_x', data: { name } })],
  ['/api/auth/organization/create', 'name', (name) => ({ slug: 'disguised', name })],
  ['/api/auth/organization/update', 'data.name', (name) => ({ data: { name } })],
  ['/api/auth/passkey/update-passkey', 'name', (name) => ({ id: 'pky_x', name })],
  ['/api/auth/passkey/verify-registration', 'name', (name) => ({ name, response: {} })],
  ['/api/setup', 'name', (name) => ({ ...invented(), token: 'x', name })],
]

const LINES: Call[] = [
  ['/api/auth/admin/ban-user', 'banReason', (banReason) => ({ userId: 'usr_x', banReason })],
  ['/api/auth/admin/impersonate-user', 'reason', (reason) => ({ userId: 'usr_x', reason })],
  ['/api/auth/api-key/create', 'name', (name) => ({ name })],
]

const PICTURES: Call[] = [
  ['/api/auth/sign-up/email', 'image', (image) => ({ ...invented(), name: 'Ann', image })],
  ['/api/auth/update-user', 'image', (image) => ({ image })],
  ['/api/auth/admin/create-user', 'data.image', (image) => ({ ...invented(), name: 'Ann', data: { image } })],
  ['/api/auth/admin/update-user', 'data.image', (image) => ({ userId: 'usr_x', data: { image } })],
  ['/api/auth/organization/create', 'logo', (logo) => ({ name: 'Works', slug: 'disguised', logo })],
  ['/api/auth/organization/update', 'data.logo', (logo) => ({ data: { logo } })],
]

const TURNING = ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069']

/** Format characters, and letters that are not seen (\p{Cf} and default-ignorable). */
const INVISIBLE = ['\u3164', '\u115f', '\u2800', 'Ann\u200b', 'Ann\u200f', 'Ann\u00adBob', 'Ann\u3164']
const REACHABLE = ['Win at evil.com', 'https://evil.example/', 'Call +49 30 1234567']

onEachDatabase('What would be shown as something that it is not', (service) => {
  test('is no line of text: only spaces, ends of lines, and what turns the direction of text', async () => {
    const values = ['   ', '\u00a0\u3000', 'Ann\nBob', 'Ann\u2028Bob', ...TURNING.map((message) => `Ann ${message}boB`)]
    const said = 'one line of text, without control and text-direction characters, and not only spaces.'
    await refuse(await owner(service()), LINES, values, said)
    const saidOfNames = `${NAME_DESCRIPTION}.`
    await refuse(await owner(service()), NAMES, [...values, ...INVISIBLE, ...REACHABLE], saidOfNames)
  })

  test('is no picture: only what browsers load as one', async () => {
    const values = [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'vbscript:x',
      'file:///etc/passwd',
      'mailto:https://example.com',
    ]
    const said = 'the address of a picture: https://, http:// or data:image/.'
    await refuse(await owner(service()), PICTURES, values, said)
  })

  test('is not in a query either', async () => {
    const { client } = await owner(service())
    const query = `?name=${encodeURIComponent('Ann \u202eboB')}`
    const answer = await client.get(`/api/auth/passkey/generate-register-options${query}`)
    assert.deepEqual([answer.status, answer.body.field], [400, 'name'])
  })

  test('is not what people really write, or what the pages send', async () => {
    const { client } = await owner(service())
    for (const name of ['محمد علی', 'דוד', 'खान', '李小龍', ' O’Neil ', 'Ann 👩'])
      assert.equal((await client.post('/api/auth/update-user', { name })).body.user?.name, name)
    for (const image of ['https://example.com/a.png', 'http://example.com/a.png', 'data:image/jpeg;base64,/9j/4AA='])
      assert.equal((await client.post('/api/auth/update-user', { image })).body.user?.image, image)
  })
})

/** Each call with each value is answered with the field and what it must be, and never with what was sent. */
async function refuse({ client }: Owner, calls: Call[], values: string[], said: string): Promise<void> {
  for (const [path, field, body] of calls) {
    for (const [index, value] of values.entries()) {
      const headers = { 'x-forwarded-for': `2001:db8:${index.toString(16)}::1` }
      const answer: Answer = await client.post(path, body(value), { headers })
      const { code, message } = answer.body
      assert.deepEqual([answer.status, code], [400, 'VALIDATION_ERROR'], `${path} ${JSON.stringify(value)}`)
      assert.equal(message, `${field} must be ${said}`)
    }
  }
}
