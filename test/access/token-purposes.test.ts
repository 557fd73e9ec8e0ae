import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToken } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import { SINGLE_USE_TOKEN_MILLISECONDS, type TokenData } from '../../server/core/single-use-tokens/token-purposes.ts'
import type { TokenPurpose } from '../../server/platform/database/tables.ts'
import type { Answer, Client } from '../support/client.ts'
import { onEachDatabase, type Service } from '../support/service.ts'
import { administratorWithOrganization, invite, member, newEmail, PASSWORD, type TestMember } from '../support/users.ts'

type Kind = TokenPurpose | 'invitation' | 'session'

interface Place {
  accepts: Kind[]
  refusal: string
  /** The summary of the answer to a token of an accepted kind. */
  acceptance: string
  use(client: Client, token: string): Promise<Answer>
}

const APP = 'https://app.example.com'
const INVALID_TOKEN = '400 INVALID_TOKEN'

type Summaries = Partial<Pick<Place, 'refusal' | 'acceptance'>>

const post = (
  path: string,
  body: (token: string) => object,
  accepts: Kind[],
  { refusal = INVALID_TOKEN, acceptance = '200' }: Summaries = {},
): Place => ({
  accepts,
  refusal,
  acceptance,
  use: (client, token) => client.post(path, body(token)),
})
const get = (
  path: (token: string) => string,
  accepts: Kind[],
  { refusal = INVALID_TOKEN, acceptance = '200' }: Summaries = {},
): Place => ({
  accepts,
  refusal,
  acceptance,
  use: (client, token) => client.get(path(token)),
})

/** The routes that take a secret of 256 bits, except the passkey ceremonies, whose tests try the other challenges. */
function placesOf(invitationId: string): Record<string, Place> {
  const account = { name: 'Eve Evil', email: newEmail(), password: PASSWORD }
  const links: Kind[] = ['reset password', 'verify email', 'change email', 'undo email change', 'delete user']
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  return {
    'links/describe': post('/api/links/describe', (token) => ({ token }), links),
    'reset-password/passkeys': post('/api/reset-password/passkeys', (token) => ({ token }), ['reset password']),
    'reset-password/{token}': get(
      (token) => `/api/auth/reset-password/${token}?callbackURL=${APP}`,
      ['reset password'],
      { refusal: `302 ${APP}/?error=INVALID_TOKEN`, acceptance: `302 ${APP}/?token={token}` },
    ),
    'reset-password': post(
      '/api/auth/reset-password',
      (token) => ({ token, newPassword: 'another fine long password' }),
      ['reset password'],
    ),
    'verify-email': get((token) => `/api/auth/verify-email?token=${token}`, ['verify email', 'change email']),
    'undo-change-email': post('/api/undo-change-email', (token) => ({ token }), ['undo email change']),
    'delete-user/callback': get((token) => `/api/auth/delete-user/callback?token=${token}`, ['delete user']),
    setup: post('/api/setup', (token) => ({ token, ...account }), ['set up']),
    'second step': post(
      '/api/auth/two-factor/verify-totp',
      (twoFactorToken) => ({ code: '000000', twoFactorToken }),
      ['second step'],
      { refusal: '401 INVALID_TWO_FACTOR_COOKIE', acceptance: '400 TOTP_NOT_ENABLED' },
    ),
    invitation: get((token) => `/invite/${invitationId}.${token}`, ['invitation'], {
      refusal: '302 /invitation?error=INVITATION_NOT_FOUND',
      acceptance: '302 /sign-up',
    }),
    session: {
      accepts: ['session'],
      refusal: '200 null',
      acceptance: '200',
      use: (client, token) => client.get('/api/auth/get-session', bearer(token)),
    },
  }
}

onEachDatabase(
  'Tokens of each purpose',
  (service) => {
    test('GHSA-965c-763c-88jm: every kind of token is refused at every other route and stays usable at its own', async (t) => {
      const { context } = service()
      t.mock.method(context.passwords, 'hash', async () => 'no hash')
      const founder = await administratorWithOrganization(service())
      const { invitationId, linkPath } = await invite(service(), founder)
      const tokens = { ...(await createTokens(service(), founder)), invitation: linkPath.split('.').at(-1) ?? '' }
      // Setup refuses every token alike while an administrator exists.
      await context.database.updateTable('users').set({ role: 'user' }).execute()
      const places = Object.entries(placesOf(invitationId))
      for (const [place, { accepts, refusal, use }] of places) {
        for (const [kind, token] of Object.entries(tokens)) {
          if (accepts.includes(kind as Kind)) continue
          assert.equal(summaryOf(await use(service().client(), token), token), refusal, `${kind} at ${place}`)
        }
      }
      for (const [place, { accepts, acceptance, use }] of places) {
        for (const kind of accepts) {
          const token = tokens[kind]
          assert.equal(summaryOf(await use(service().client(), token), token), acceptance, `${kind} at ${place}`)
        }
      }
    })
  },
  { RETURN_TO_ORIGINS: APP },
)

/** A token of each purpose and of a session, each of a user of its own, because a use may revoke other tokens. */
async function createTokens(
  service: Service,
  founder: TestMember,
): Promise<Record<Exclude<Kind, 'invitation'>, string>> {
  const { database, randomBytes, now } = service.context
  const purposes = Object.keys(SINGLE_USE_TOKEN_MILLISECONDS) as TokenPurpose[]
  const entries = purposes.map(async (purpose) => {
    const { id: userId, email } = await member(service, founder)
    const data: Record<string, unknown> = {
      email,
      oldEmail: email,
      newEmail: newEmail(),
      bindings: [],
      failureCount: 0,
    }
    return [
      purpose,
      await createToken(database, { randomBytes, now }, purpose, { userId, data: data as TokenData[TokenPurpose] }),
    ] as const
  })
  const ofPurposes = Object.fromEntries(await Promise.all(entries)) as Record<TokenPurpose, string>
  return { ...ofPurposes, session: (await member(service, founder)).token }
}

/** The status with the redirection, the error code or null. */
function summaryOf({ status, body, headers }: Answer, token: string): string {
  if (body === null) return `${status} null`
  const detail = headers.get('location')?.replace(token, '{token}') ?? body.code
  return detail ? `${status} ${detail}` : String(status)
}
