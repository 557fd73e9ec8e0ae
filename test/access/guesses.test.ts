import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initiateDeviceAuthorization } from 'openid-client'
import type { Answer, Client } from '../support/client.ts'
import { newUsers } from '../support/many-users.ts'
import { createTestApp } from '../support/openid.ts'
import { operations } from '../support/operations.ts'
import { onEachDatabase } from '../support/service.ts'
import {
  administratorWithOrganization,
  invite,
  newEmail,
  PASSWORD,
  signedIn,
  type TestMember,
  tokenIn,
} from '../support/users.ts'

const MADE_UP = 'A'.repeat(43)
const CLIENT_DATA = Buffer.from(
  JSON.stringify({ type: 'webauthn.get', challenge: MADE_UP, origin: 'http://localhost' }),
).toString('base64url')
const PASSKEY = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }

type Guess = (client: Client) => Promise<Answer>
const post =
  (path: string, body: object): Guess =>
  (client) =>
    client.post(path, body)
const get =
  (path: string, headers: Record<string, string> = {}): Guess =>
  (client) =>
    client.get(path, { headers })

/** For each route that checks a secret, a request with a wrong secret. */
const GUESSES: Record<string, Guess> = {
  'post /api/auth/sign-in/email': (client) =>
    client.post('/api/auth/sign-in/email', { email: newEmail(), password: 'wrong' }),
  'post /api/auth/sign-up/email': (client) => {
    const user = { name: 'Hilda Hire', email: newEmail(), password: PASSWORD }
    return client.post('/api/auth/sign-up/email', { ...user, invitation: `inv_${'0'.repeat(26)}.${MADE_UP}` })
  },
  'post /api/auth/change-password': post('/api/auth/change-password', {
    currentPassword: 'wrong',
    newPassword: 'another fine long password',
  }),
  'post /api/auth/verify-password': post('/api/auth/verify-password', { password: 'wrong' }),
  'post /api/auth/two-factor/enable': post('/api/auth/two-factor/enable', { password: 'wrong' }),
  'post /api/auth/two-factor/get-totp-uri': post('/api/auth/two-factor/get-totp-uri', { password: 'wrong' }),
  'post /api/auth/two-factor/generate-backup-codes': post('/api/auth/two-factor/generate-backup-codes', {
    password: 'wrong',
  }),
  'post /api/auth/two-factor/disable': post('/api/auth/two-factor/disable', { password: 'wrong' }),
  'post /api/auth/two-factor/verify-totp': post('/api/auth/two-factor/verify-totp', {
    code: '000000',
    twoFactorToken: MADE_UP,
  }),
  'post /api/auth/two-factor/verify-otp': post('/api/auth/two-factor/verify-otp', {
    code: '000000',
    twoFactorToken: MADE_UP,
  }),
  'post /api/auth/two-factor/verify-backup-code': post('/api/auth/two-factor/verify-backup-code', {
    code: '000000',
    twoFactorToken: MADE_UP,
  }),
  'get /api/auth/device': get('/api/auth/device?user_code=AAAA-AAAA'),
  'post /api/auth/device/approve': post('/api/auth/device/approve', { userCode: 'AAAA-AAAA' }),
  'post /api/auth/device/deny': post('/api/auth/device/deny', { userCode: 'AAAA-AAAA' }),
  'post /api/auth/delete-user': post('/api/auth/delete-user', { password: 'wrong' }),
  'get /api/auth/delete-user/callback': get(`/api/auth/delete-user/callback?token=${MADE_UP}&callbackURL=/account`),
  'get /api/auth/reset-password/placeholder': get(`/api/auth/reset-password/${MADE_UP}?callbackURL=/reset-password`),
  'post /api/auth/reset-password': post('/api/auth/reset-password', { token: MADE_UP, newPassword: PASSWORD }),
  'post /api/reset-password/passkeys': post('/api/reset-password/passkeys', { token: MADE_UP }),
  'post /api/links/describe': post('/api/links/describe', { token: MADE_UP }),
  'get /api/auth/verify-email': get(`/api/auth/verify-email?token=${MADE_UP}&callbackURL=/account`),
  'post /api/undo-change-email': post('/api/undo-change-email', { token: MADE_UP }),
  'post /api/setup': (client) => {
    const user = { name: 'Ada Admin', email: newEmail(), password: PASSWORD }
    return client.post('/api/setup', { ...user, token: MADE_UP })
  },
  'post /api/auth/passkey/verify-authentication': post('/api/auth/passkey/verify-authentication', {
    response: { ...PASSKEY, response: { clientDataJSON: CLIENT_DATA, authenticatorData: 'AAAA', signature: 'AAAA' } },
  }),
  'post /api/auth/passkey/verify-registration': post('/api/auth/passkey/verify-registration', {
    response: { ...PASSKEY, response: { clientDataJSON: CLIENT_DATA, attestationObject: 'AAAA' } },
  }),
  'post /api/auth/api-key/verify': post('/api/auth/api-key/verify', { key: 'made up' }),
  'get /api/token': get('/api/token?org=example', { 'x-api-key': 'made up' }),
  'get /invite/placeholder': get(`/invite/inv_${'0'.repeat(26)}.${MADE_UP}`),
  'get /api/invitation': get('/api/invitation', { cookie: `invitation=inv_${'0'.repeat(26)}.${MADE_UP}` }),
}

onEachDatabase(
  'Wrong guesses',
  (service) => {
    test('Every route that checks a secret returns 429 for the third wrong guess of a network, redirects included', async () => {
      const declared = (await operations(service()))
        .filter(({ description }) => description.includes('wrong guesses'))
        .map(({ method, path }) => `${method} ${path}`)
      assert.deepEqual(declared.toSorted(), Object.keys(GUESSES).toSorted())
      const withSession = new Set([
        'change-password',
        'verify-password',
        'delete-user',
        'verify-registration',
        'enable',
        'get-totp-uri',
        'generate-backup-codes',
        'disable',
        'device',
        'approve',
        'deny',
      ])
      for (const [route, guess] of Object.entries(GUESSES)) {
        const needsSession = withSession.has(route.split('/').at(-1) ?? '')
        const [email = ''] = needsSession ? await newUsers(service(), 1) : []
        const { client } = needsSession ? await signedIn(service(), email) : { client: service().client() }
        const answers = [await guess(client), await guess(client), await guess(client)]
        const statuses = answers.map(({ status }) => status)
        assert.ok(statuses[0] !== 429 && statuses[1] !== 429 && statuses[2] === 429, `${route}: ${statuses}`)
        assert.ok(Number(answers[2]?.headers.get('retry-after')) > 0, route)
        assert.equal(answers[2]?.headers.get('location'), null, route)
      }
    })

    test('A correct secret of 256 bits is accepted from a network that is refused for wrong guesses', async () => {
      const inviter = await administratorWithOrganization(service())
      const { key } = (await inviter.client.post('/api/auth/api-key/create', keyOf(inviter))).body
      const invited = await invite(service(), inviter)
      const [email = ''] = await newUsers(service(), 1)
      await service().client().post('/api/auth/request-password-reset', { email })
      const token = await tokenIn(service(), email)

      const client = service().client()
      const wrong = get('/api/token?org=example', { 'x-api-key': 'made up' })
      for (let count = 0; count < 4; count += 1) await wrong(client)
      assert.equal((await wrong(client)).status, 429)

      const path = `/api/token?org=${inviter.organization.slug}`
      assert.equal((await client.get(path, { headers: { 'x-api-key': key } })).status, 200)
      assert.equal((await client.post('/api/auth/api-key/verify', { key })).body.valid, true)
      assert.equal((await client.get(invited.linkPath)).headers.get('location'), '/sign-up')
      const reset = { token, newPassword: 'another fine long password' }
      assert.equal((await client.post('/api/auth/reset-password', reset)).status, 200)
      const signIn = { email, password: reset.newPassword }
      assert.equal((await client.post('/api/auth/sign-in/email', signIn)).status, 200)
    })

    test('RFC 8628: a user who has used up the limit of guesses gets 429 for a right code of a device at every route', async () => {
      const { config } = await createTestApp(service())
      const { user_code: userCode } = await initiateDeviceAuthorization(config, { scope: 'openid' })
      const [email = '', otherEmail = ''] = await newUsers(service(), 2)
      const [{ client }, other] = [await signedIn(service(), email), await signedIn(service(), otherEmail)]
      const right = get(`/api/auth/device?user_code=${userCode}`, { 'x-forwarded-for': client.address })
      const wrong = post('/api/auth/device/deny', { userCode: 'AAAA-AAAA' })
      assert.equal((await wrong(client)).status, 404)
      // A right code does not restore the budget.
      assert.equal((await right(client)).status, 200)
      assert.equal((await wrong(client)).status, 404)
      assert.equal((await right(client)).status, 429)
      for (const route of ['approve', 'deny'])
        assert.equal((await client.post(`/api/auth/device/${route}`, { userCode })).status, 429, route)
      assert.equal((await right(other.client)).body.status, 'pending')
    })
  },
  { NETWORK_GUESSES_PER_5_MINUTES: '2', ACCOUNT_GUESSES_PER_15_MINUTES: '2' },
)

function keyOf({ organization }: TestMember) {
  return { name: 'Export', organizationId: organization.id }
}
