import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { asking } from '../support/beside.ts'
import type { Answer } from '../support/client.ts'
import { concurrently, deleting, removing } from '../support/concurrently.ts'
import { newCast } from '../support/race-cast.ts'
import { DEEDS } from '../support/race-deeds.ts'
import { onEachDatabase } from '../support/service.ts'
import { PASSWORD } from '../support/users.ts'

type Expected = [status: number, code?: string]

const UNAUTHORIZED: Expected = [401, 'UNAUTHORIZED']
const INVALID_TOKEN: Expected = [400, 'INVALID_TOKEN']
const NO_USER: Expected = [404, 'USER_NOT_FOUND']
const NO_ORGANIZATION: Expected = [404, 'ORGANIZATION_NOT_FOUND']
const NO_INVITATION: Expected = [404, 'INVITATION_NOT_FOUND']

/** What is answered where Pat was deleted a moment ago. */
const WITHOUT_PAT: Record<string, Expected> = {
  'Pat signs in': [401, 'INVALID_EMAIL_OR_PASSWORD'],
  'Pat changes the password': UNAUTHORIZED,
  'Pat wants another address': UNAUTHORIZED,
  'Pat asks to be deleted': UNAUTHORIZED,
  'Pat deletes the account': UNAUTHORIZED,
  'Pat is renamed': UNAUTHORIZED,
  'Pat makes an organization': UNAUTHORIZED,
  'Pat accepts': UNAUTHORIZED,
  'Pat begins to add a passkey': UNAUTHORIZED,
  'Pat confirms by passkey': UNAUTHORIZED,
  'Pat resets the password': INVALID_TOKEN,
  'Pat proves the address': INVALID_TOKEN,
  'Pat changes the address': INVALID_TOKEN,
  'Pat undoes a change': INVALID_TOKEN,
  'Pat deletes the account by link': INVALID_TOKEN,
  'Pat asks for a reset': [200],
  'Pat asks for a proof': [200],
  'Pat chooses': NO_ORGANIZATION,
  'Kim removes Pat': [404, 'MEMBER_NOT_FOUND'],
  'Kim makes Pat a member': [404, 'MEMBER_NOT_FOUND'],
  'staff ban Pat': NO_USER,
  'staff unban Pat': NO_USER,
  'Pat becomes staff': NO_USER,
  'staff act as Pat': NO_USER,
  'staff remove Pat': NO_USER,
  'staff end sessions of Pat': NO_USER,
  'staff set the password of Pat': NO_USER,
  'staff set the address of Pat': NO_USER,
}

/** Where the organization was. */
const WITHOUT_ORGANIZATION: Record<string, Expected> = {
  'Pat chooses': NO_ORGANIZATION,
  'Pat keeps on the session': NO_ORGANIZATION,
  'Pat leaves': NO_ORGANIZATION,
  'Pat makes a key': NO_ORGANIZATION,
  'Pat deletes the shared one': NO_ORGANIZATION,
  'Kim removes Pat': NO_ORGANIZATION,
  'Kim makes Pat a member': NO_ORGANIZATION,
  'Kim invites': NO_ORGANIZATION,
  'Kim withdraws': NO_ORGANIZATION,
  'Kim renames the shared one': NO_ORGANIZATION,
  'Pat accepts': NO_INVITATION,
  'Pat rejects': NO_INVITATION,
  'the newcomer signs up': [400, 'INVITATION_REQUIRED'],
}

const NAMES = ['boss', 'vice', 'pat', 'kim']

function doing(name: string) {
  const deed = DEEDS[name]
  assert.ok(deed, name)
  return deed
}

onEachDatabase('What was there when a request came, and is gone when it writes', (service) => {
  let passwordHash = ''
  before(async () => {
    passwordHash = await service().context.passwords.hash(PASSWORD)
  })
  const unprove = (id: string) =>
    service().context.database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', id).execute()
  const check = ({ status, body }: Answer, [expected, code]: Expected) =>
    assert.deepEqual([status, body?.code], [expected, code], JSON.stringify(body))

  for (const [name, expected] of Object.entries(WITHOUT_PAT)) {
    test(`a person: ${name}`, async () => {
      const cast = await newCast(service(), passwordHash, NAMES)
      if (name === 'Pat asks for a proof') await unprove(cast.pat.id)
      check(
        await concurrently(service(), removing(service(), cast.pat.id), () => doing(name)(cast, service())),
        expected,
      )
    })
  }

  for (const [name, expected] of Object.entries(WITHOUT_ORGANIZATION)) {
    test(`an organization: ${name}`, async () => {
      const cast = await newCast(service(), passwordHash, NAMES)
      const id = name === 'Pat accepts' || name === 'Pat rejects' ? cast.third : cast.shared
      check(await concurrently(service(), deleting(id), () => doing(name)(cast, service())), expected)
    })
  }

  test("an organization: the newcomer's link leads to a page that says so", async () => {
    const { shared, newcomer } = await newCast(service(), passwordHash, NAMES)
    const open = () => service().client().get(`/invite/${newcomer.reference}`)
    const { status, headers } = await concurrently(service(), deleting(shared), open)
    assert.deepEqual([status, headers.get('location')], [302, '/invitation?error=INVITATION_NOT_FOUND'])
  })

  test('an organization: the session that takes the place of one in which it was active has none', async () => {
    const { pat, shared } = await newCast(service(), passwordHash, NAMES)
    const change = { currentPassword: PASSWORD, newPassword: 'another fine long password' }
    const { body } = await concurrently(service(), deleting(shared), () =>
      asking(service(), pat).post('/api/auth/change-password', change),
    )
    const { session } = (await asking(service(), body).get('/api/auth/get-session')).body
    assert.equal(session.activeOrganizationId, null)
  })
})
