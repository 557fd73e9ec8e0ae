import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToken } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import { TRUSTED_DEVICE_COOKIE } from '../../server/platform/http/cookies.ts'
import type { Answer } from '../support/client.ts'
import { addRemainingCredentials } from '../support/credential-columns.ts'
import { signInTo } from '../support/openid.ts'
import { type Population, populate } from '../support/populated.ts'
import { askToken, newCodeForm } from '../support/protocol.ts'
import { onEachDatabase, type Service } from '../support/service.ts'
import { listStoredRows } from '../support/stored-rows.ts'
import { askUserinfo, refresh } from '../support/token-requests.ts'
import { PASSWORD } from '../support/users.ts'

interface Place {
  /** The secret that the place accepts. */
  secret: string
  use(text: string): Promise<Answer>
  refusal: string
  /** The summary of the answer to the secret, 200 without it. */
  acceptance?: string
}

/** Every place of a request with a credential. */
async function createPlaces(service: Service, population: Population): Promise<Record<string, Place>> {
  const { context } = service
  const { boss, totpUser, totp, app, apiKey, refreshToken, invitations } = population
  const slug = boss.organization.slug
  const [invitationId = '', invitationSecret = ''] = invitations[0]?.linkPath.split('/').at(-1)?.split('.') ?? []
  const create = (purpose: 'reset password' | 'second step') =>
    createToken(context.database, context, purpose, {
      userId: totpUser.id,
      data: { rememberMe: true, failureCount: 0 } as never,
    })
  const resetToken = await create('reset password')
  const challengeToken = await create('second step')
  const trusted = { code: totp.codeAt(context.now()), trustDevice: true }
  await totpUser.client.post('/api/auth/two-factor/verify-totp', trusted)
  const { access_token: accessToken } = await signInTo(boss, app)
  const code = await newCodeForm(boss, app)
  const client = () => service.client()
  const get = (path: string, headers: Record<string, string>) => client().get(path, { headers })
  const post = (path: string, body: object) => client().post(path, body)
  return {
    'session as bearer': {
      secret: boss.token,
      use: (text) => get('/api/auth/get-session', { authorization: `Bearer ${text}` }),
      refusal: '200 null',
    },
    'session cookie': {
      secret: boss.token,
      use: (text) => get('/api/auth/get-session', { cookie: `session=${text}` }),
      refusal: '200 null',
    },
    'API key': {
      secret: apiKey,
      use: (text) => get(`/api/token?org=${slug}`, { 'x-api-key': text }),
      refusal: '401 INVALID_API_KEY',
    },
    'invitation link': {
      secret: invitationSecret,
      use: (text) => get(`/invite/${invitationId}.${encodeURIComponent(text)}`, {}),
      refusal: '302 /invitation?error=INVITATION_NOT_FOUND',
      acceptance: '302 /sign-up',
    },
    'reset link': {
      secret: resetToken,
      use: (token) => post('/api/reset-password/passkeys', { token }),
      refusal: '400 INVALID_TOKEN',
    },
    'second step': {
      secret: challengeToken,
      use: (twoFactorToken) => post('/api/auth/two-factor/verify-totp', { code: '000000', twoFactorToken }),
      refusal: '401 INVALID_TWO_FACTOR_COOKIE',
      acceptance: '401 INVALID_CODE',
    },
    'trusted device': {
      secret: totpUser.client.cookies.get(TRUSTED_DEVICE_COOKIE) ?? '',
      use: (trustDeviceToken) =>
        post('/api/auth/sign-in/email', { email: totpUser.email, password: PASSWORD, trustDeviceToken }),
      refusal: '200 second step',
    },
    'access token': { secret: accessToken, use: (text) => askUserinfo(service, text), refusal: '401 invalid_token' },
    'refresh token': {
      secret: refreshToken,
      use: (text) => refresh(service, app, text),
      refusal: '400 invalid_grant',
    },
    'authorization code': {
      secret: code.code ?? '',
      use: (text) => askToken(service, app, { ...code, code: text }),
      refusal: '400 invalid_grant',
    },
    'client secret': {
      secret: app.secret,
      use: (secret) => askToken(service, { ...app, secret }, { grant_type: 'client_credentials' }),
      refusal: '401 invalid_client',
    },
  }
}

/** The status with the redirection, the error code, the second step or null. */
function summaryOf({ status, headers, body }: Answer): string {
  if (body === null) return `${status} null`
  const detail = headers.get('location') ?? body.code ?? body.error ?? (body.twoFactorRedirect && 'second step')
  return detail ? `${status} ${detail}` : String(status)
}

/** A string of each column and kind of row that could be a credential. Columns that name another row are left out. */
function listCandidates(rows: object[]): string[] {
  const candidates = new Map<string, string>()
  for (const row of rows) {
    for (const [column, value] of Object.entries(row))
      if (typeof value === 'string' && /^[\x21-\x7e]{16,300}$/.test(value) && !/[a-z]Id$|email|recipient/.test(column))
        candidates.set([...Object.keys(row), column, 'kind' in row && row.kind].join(), value)
  }
  return [...candidates.values()]
}

onEachDatabase(
  'A stolen database',
  (service) => {
    test('No string of a stolen database is accepted as a credential', async (t) => {
      const { passwords } = service().context
      t.mock.method(passwords, 'verify', async () => true)
      const population = await populate(service())
      await addRemainingCredentials(service(), population)
      const places = Object.entries(await createPlaces(service(), population))
      const rows = await listStoredRows(service().context.database)
      const texts = rows.flatMap((row): unknown[] => Object.values(row)).filter((value) => typeof value === 'string')
      for (const [place, { secret }] of places) {
        assert.ok(secret.length > 20, place)
        assert.ok(!texts.some((text) => text.includes(secret)), `the database has the plain secret: ${place}`)
      }
      const candidates = listCandidates(rows)
      assert.ok(candidates.length > 30)
      for (const [place, { use, refusal }] of places) {
        for (const text of candidates) {
          const answer = summaryOf(await use(text))
          assert.ok([refusal, '400 VALIDATION_ERROR'].includes(answer), `${text} at ${place}: ${answer}`)
        }
      }
      for (const [place, { secret, use, acceptance = '200' }] of places)
        assert.equal(summaryOf(await use(secret)), acceptance, place)
    })
  },
  {
    NETWORK_GUESSES_PER_5_MINUTES: '1000000',
    ACCOUNT_GUESSES_PER_15_MINUTES: '1000000',
    USER_CHANGES_PER_MINUTE: '1000000',
  },
)
