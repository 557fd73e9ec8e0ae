import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Kysely } from 'kysely'
import { createToken } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import type { TokenData } from '../../server/core/single-use-tokens/token-purposes.ts'
import { lockUserForUpdate } from '../../server/core/users/lock-user.ts'
import type { Tables, UserRow } from '../../server/platform/database/tables.ts'
import { bearerClient } from '../support/bearer-client.ts'
import type { Answer } from '../support/client.ts'
import { concurrently } from '../support/concurrently.ts'
import { createScene, type RaceScene } from '../support/race-scene.ts'
import { randomLetters } from '../support/random-letters.ts'
import { onEachDatabase, type Service } from '../support/service.ts'
import { hashOnce, newEmail, newMember, PASSWORD } from '../support/users.ts'

const NEW_PASSWORD = 'another long passphrase'

type Change = 'banned' | 'demoted' | 'unverified' | 'signed out'

interface Case {
  by: 'boss' | 'pat' | 'kim'
  path: string
  body: (scene: RaceScene) => object
  prepare?: (database: Kysely<Tables>, scene: RaceScene) => Promise<unknown>
  expected: Partial<Record<Change, number>>
}

/**
 * Requests, and their answers if the caller is changed after the checks. A slow password hash leaves time for the
 * change.
 */
const CASES: Record<string, Case> = {
  'staff create a user': {
    by: 'boss',
    path: 'admin/create-user',
    body: () => ({ email: newEmail(), name: 'Eve Evil', password: PASSWORD, role: 'admin' }),
    expected: { banned: 403, demoted: 403, unverified: 403 },
  },
  'staff create an organization': {
    by: 'boss',
    path: 'admin/create-organization',
    body: () => ({ name: 'Later', slug: `later-${randomLetters()}`, ownerEmail: newEmail() }),
    expected: { banned: 403, demoted: 403 },
  },
  'staff invite the owner of an organization without members': {
    by: 'boss',
    path: 'admin/invite-owner',
    prepare: (database, { own }) => database.deleteFrom('members').where('organizationId', '=', own).execute(),
    body: ({ own }) => ({ organizationId: own, ownerEmail: newEmail() }),
    expected: { banned: 403, demoted: 403 },
  },
  'a user deletes the account': {
    by: 'pat',
    path: 'delete-user',
    body: () => ({ password: PASSWORD }),
    expected: { banned: 401, 'signed out': 401 },
  },
  'a user changes the password': {
    by: 'pat',
    path: 'change-password',
    body: () => ({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
    expected: { banned: 401, 'signed out': 401 },
  },
  'a user reads the secret of the authenticator app': {
    by: 'kim',
    path: 'two-factor/get-totp-uri',
    body: () => ({ password: PASSWORD }),
    expected: { banned: 401, 'signed out': 401 },
  },
  'a user creates an organization': {
    by: 'pat',
    path: 'organization/create',
    body: () => ({ name: 'Later', slug: `later-${randomLetters()}` }),
    expected: { banned: 401 },
  },
  'a user sets the active organization': {
    by: 'pat',
    path: 'organization/set-active',
    body: (scene) => ({ organizationId: scene.shared }),
    expected: { 'signed out': 401 },
  },
}

/** With ORGANIZATION_CREATION=staff. */
const STAFF_ONLY_CASES: Record<string, Case> = {
  'staff create an organization that they own': {
    by: 'boss',
    path: 'organization/create',
    body: () => ({ name: 'Later', slug: `later-${randomLetters()}` }),
    expected: { demoted: 403 },
  },
}

const CHANGES: Record<Change, (transaction: Kysely<Tables>, userId: string) => Promise<unknown>> = {
  banned: (transaction, id) => updateUser(transaction, id, { banned: 1, banExpires: null }),
  demoted: (transaction, id) => updateUser(transaction, id, { role: 'user' }),
  unverified: (transaction, id) => updateUser(transaction, id, { emailVerified: 0 }),
  'signed out': (transaction, id) => transaction.deleteFrom('sessions').where('userId', '=', id).execute(),
}

async function updateUser(
  transaction: Kysely<Tables>,
  id: string,
  change: Partial<Pick<UserRow, 'banned' | 'banExpires' | 'role' | 'emailVerified'>>,
): Promise<void> {
  await lockUserForUpdate(transaction, id)
  await transaction.updateTable('users').set(change).where('id', '=', id).execute()
}

onEachDatabase('Concurrent change of the caller', (service) => defineTests(service, CASES))
onEachDatabase(
  'Concurrent change of the caller where only staff create organizations',
  (service) => defineTests(service, STAFF_ONLY_CASES),
  { ORGANIZATION_CREATION: 'staff' },
)

/** The data of a link of each purpose, and the request of its page. */
const LINKS: { [Purpose in LinkPurpose]: Link<Purpose> } = {
  'verify email': { dataOf: (email) => ({ email }), use: verifyEmail },
  'change email': { dataOf: (oldEmail) => ({ oldEmail, newEmail: newEmail() }), use: verifyEmail },
  'undo email change': {
    dataOf: () => ({ oldEmail: newEmail() }),
    use: (service, token) => service.client().post('/api/undo-change-email', { token }),
  },
  'reset password': {
    dataOf: () => ({}),
    use: (service, token) => service.client().post('/api/auth/reset-password', { token, newPassword: NEW_PASSWORD }),
  },
  'delete user': {
    dataOf: () => ({}),
    use: (service, token) => service.client().get(`/api/auth/delete-user/callback?token=${token}`),
  },
}

type LinkPurpose = 'verify email' | 'change email' | 'undo email change' | 'reset password' | 'delete user'

interface Link<Purpose extends LinkPurpose> {
  dataOf: (email: string) => TokenData[Purpose]
  use: (service: Service, token: string) => Promise<Answer>
}

function verifyEmail(service: Service, token: string): Promise<Answer> {
  return service.client().get(`/api/auth/verify-email?token=${token}`)
}

onEachDatabase('Concurrent ban of the user of a link', (service) => {
  for (const [purpose, { dataOf, use }] of Object.entries(LINKS) as [LinkPurpose, Link<LinkPurpose>][])
    test(`A link is refused when its user is banned concurrently: ${purpose}`, async () => {
      const { context } = service()
      const { id, email } = await newMember(service())
      const token = await createToken(context.database, context, purpose, { userId: id, data: dataOf(email) })
      const begin = (transaction: Kysely<Tables>) => CHANGES.banned(transaction, id)
      const { status, body } = await concurrently(service(), { begin }, () => use(service(), token))
      assert.deepEqual([status, body.code], [400, 'INVALID_TOKEN'])
    })
})

function defineTests(service: () => Service, cases: Record<string, Case>): void {
  let passwordHash = ''
  before(async () => {
    passwordHash = await hashOnce()
  })

  for (const [name, { by, path, prepare, body, expected }] of Object.entries(cases)) {
    for (const [change, status] of Object.entries(expected) as [Change, number][]) {
      test(`A request is refused when its caller is ${change} concurrently: ${name}`, async () => {
        const scene = await createScene(service(), passwordHash, ['boss', 'vice', 'pat', 'kim'])
        await prepare?.(service().context.database, scene)
        const request = () => bearerClient(service(), scene[by]).post(`/api/auth/${path}`, body(scene))
        const begin = (transaction: Kysely<Tables>) => CHANGES[change](transaction, scene[by].id)
        const answer = await concurrently(service(), { begin }, request)
        assert.equal(answer.status, status, JSON.stringify(answer.body))
      })
    }
  }
}
