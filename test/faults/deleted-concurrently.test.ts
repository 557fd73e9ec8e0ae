import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { bearerClient } from '../support/bearer-client.ts'
import type { Answer } from '../support/client.ts'
import { concurrently, organizationDeletion, userDeletion } from '../support/concurrently.ts'
import { REQUESTS } from '../support/race-requests.ts'
import { createScene } from '../support/race-scene.ts'
import { onEachDatabase } from '../support/service.ts'
import { hashOnce, PASSWORD } from '../support/users.ts'

type Expected = [status: number, code?: string]

const UNAUTHORIZED: Expected = [401, 'UNAUTHORIZED']
const INVALID_TOKEN: Expected = [400, 'INVALID_TOKEN']
const NO_USER: Expected = [404, 'USER_NOT_FOUND']
const NO_ORGANIZATION: Expected = [404, 'ORGANIZATION_NOT_FOUND']
const NO_INVITATION: Expected = [404, 'INVITATION_NOT_FOUND']

/** Expected answers when Pat is deleted between the checks of a request and its transaction. */
const WITHOUT_PAT: Record<string, Expected> = {
  'Pat signs in': [401, 'INVALID_EMAIL_OR_PASSWORD'],
  'Pat changes the password': UNAUTHORIZED,
  'Pat requests a new email address': UNAUTHORIZED,
  'Pat requests a deletion email': UNAUTHORIZED,
  'Pat deletes the account': UNAUTHORIZED,
  'Pat updates the name': UNAUTHORIZED,
  'Pat creates an organization': UNAUTHORIZED,
  'Pat accepts the invitation': UNAUTHORIZED,
  'Pat requests passkey registration options': UNAUTHORIZED,
  'Pat requests passkey authentication options': UNAUTHORIZED,
  'Pat resets the password': INVALID_TOKEN,
  'Pat verifies the email address': INVALID_TOKEN,
  'Pat verifies the new email address': INVALID_TOKEN,
  'Pat undoes the email change': INVALID_TOKEN,
  'Pat deletes the account by link': INVALID_TOKEN,
  'Pat requests a password reset': [200],
  'Pat requests a verification email': [200],
  'Pat sets the active organization': NO_ORGANIZATION,
  'Kim removes Pat': [404, 'MEMBER_NOT_FOUND'],
  'Kim changes the role of Pat': [404, 'MEMBER_NOT_FOUND'],
  'staff ban Pat': NO_USER,
  'staff unban Pat': NO_USER,
  'Pat becomes staff': NO_USER,
  'staff impersonate Pat': NO_USER,
  'staff remove Pat': NO_USER,
  'staff revoke the sessions of Pat': NO_USER,
  'staff set the password of Pat': NO_USER,
  'staff set the email address of Pat': NO_USER,
}

/** Expected answers when the organization is deleted at that moment. */
const WITHOUT_ORGANIZATION: Record<string, Expected> = {
  'Pat sets the active organization': NO_ORGANIZATION,
  'Pat updates the session': NO_ORGANIZATION,
  'Pat leaves the shared organization': NO_ORGANIZATION,
  'Pat creates an API key': NO_ORGANIZATION,
  'Pat deletes the shared organization': NO_ORGANIZATION,
  'Kim removes Pat': NO_ORGANIZATION,
  'Kim changes the role of Pat': NO_ORGANIZATION,
  'Kim invites a user': NO_ORGANIZATION,
  'Kim cancels an invitation': NO_ORGANIZATION,
  'Kim renames the shared organization': NO_ORGANIZATION,
  'Pat accepts the invitation': NO_INVITATION,
  'Pat rejects the invitation': NO_INVITATION,
  'the invited user signs up': [400, 'INVITATION_REQUIRED'],
}

const NAMES = ['boss', 'vice', 'pat', 'kim']

function getRequest(name: string) {
  const request = REQUESTS[name]
  assert.ok(request, name)
  return request
}

onEachDatabase('Concurrent deletion', (service) => {
  let passwordHash = ''
  before(async () => {
    passwordHash = await hashOnce()
  })
  const unverifyEmail = (id: string) =>
    service().context.database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', id).execute()
  const check = ({ status, body }: Answer, [expected, code]: Expected) =>
    assert.deepEqual([status, body?.code], [expected, code], JSON.stringify(body))

  for (const [name, expected] of Object.entries(WITHOUT_PAT)) {
    test(`A concurrent deletion of the user returns ${expected.join(' ')}: ${name}`, async () => {
      const scene = await createScene(service(), passwordHash, NAMES)
      if (name === 'Pat requests a verification email') await unverifyEmail(scene.pat.id)
      check(
        await concurrently(service(), userDeletion(service(), scene.pat.id), () => getRequest(name)(scene, service())),
        expected,
      )
    })
  }

  for (const [name, expected] of Object.entries(WITHOUT_ORGANIZATION)) {
    test(`A concurrent deletion of the organization returns ${expected.join(' ')}: ${name}`, async () => {
      const scene = await createScene(service(), passwordHash, NAMES)
      const id =
        name === 'Pat accepts the invitation' || name === 'Pat rejects the invitation' ? scene.third : scene.shared
      check(await concurrently(service(), organizationDeletion(id), () => getRequest(name)(scene, service())), expected)
    })
  }

  test('A concurrent deletion of the organization redirects the invitation link to the error INVITATION_NOT_FOUND', async () => {
    const { shared, invited } = await createScene(service(), passwordHash, NAMES)
    const open = () => service().client().get(`/invite/${invited.reference}`)
    const { status, headers } = await concurrently(service(), organizationDeletion(shared), open)
    assert.deepEqual([status, headers.get('location')], [302, '/invitation?error=INVITATION_NOT_FOUND'])
  })

  test('change-password creates a session without an active organization when the organization is deleted concurrently', async () => {
    const { pat, shared } = await createScene(service(), passwordHash, NAMES)
    const change = { currentPassword: PASSWORD, newPassword: 'another fine long password' }
    const { body } = await concurrently(service(), organizationDeletion(shared), () =>
      bearerClient(service(), pat).post('/api/auth/change-password', change),
    )
    const { session } = (await bearerClient(service(), body).get('/api/auth/get-session')).body
    assert.equal(session.activeOrganizationId, null)
  })
})
