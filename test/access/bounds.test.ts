import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { newId } from '../../server/platform/crypto/tokens.ts'
import type { InvitationStatus } from '../../server/platform/database/tables.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import type { Answer } from '../support/client.ts'
import { insertMembers } from '../support/many-members.ts'
import { insertTestPasskeys, registerOptions } from '../support/passkeys.ts'
import { onEachDatabase, type Service } from '../support/service.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  joinOrganization,
  newEmail,
  PASSWORD,
  signedIn,
  signUp,
} from '../support/users.ts'
import { whenServed } from '../support/when-served.ts'

const ORGANIZATION = '/api/auth/organization'
const CONCURRENT_CALLS = 6

/** Counts the successful answers and asserts the error code of the others. */
function countSuccesses(answers: Answer[], code: string): number {
  const refused = answers.filter(({ status }) => status !== 200)
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    refused.map(() => [403, code]),
  )
  return answers.length - refused.length
}

const concurrently = (run: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: CONCURRENT_CALLS }, (_, i) => whenServed(() => run(i))))

async function created(service: Service): Promise<{ id: string; email: string }> {
  const { client } = await administrator(service)
  const user = { email: newEmail(), name: 'Nia New', password: PASSWORD, data: { emailVerified: true } }
  const { body } = await client.post('/api/auth/admin/create-user', user)
  return body.user
}

onEachDatabase(
  'Bounds per user',
  (service) => {
    test('ORGANIZATIONS_PER_USER holds for concurrent calls of organization/create', async () => {
      const { client } = await signedIn(service(), (await created(service())).email)
      const create = () => client.post(`${ORGANIZATION}/create`, { name: 'Org', slug: `org-${randomUUID()}` })
      const code = 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS'
      assert.equal(countSuccesses(await concurrently(create), code), 3)
      const [first] = (await client.get(`${ORGANIZATION}/list`)).body
      await client.post(`${ORGANIZATION}/delete`, { organizationId: first.id })
      assert.equal(countSuccesses([await create(), await create()], code), 1)
    })

    test('ORGANIZATIONS_PER_USER does not count organizations in which the user is only a member', async () => {
      const user = await signedIn(service(), (await created(service())).email)
      for (let count = 0; count < 3; count++)
        await joinOrganization(service(), user, await administratorWithOrganization(service()))
      const { status } = await user.client.post(`${ORGANIZATION}/create`, { name: 'Org', slug: `org-${randomUUID()}` })
      assert.equal(status, 200)
    })

    test('SESSIONS_PER_USER holds for concurrent sign-ins and revokes the oldest sessions', async () => {
      const { id, email } = await created(service())
      const first = await signedIn(service(), email)
      service().advance(1000)
      const second = await signedIn(service(), email)
      service().advance(1000)
      const others = await Promise.all(Array.from({ length: 4 }, () => signedIn(service(), email)))
      assert.equal((await first.client.get('/api/auth/get-session')).body, null)
      assert.equal((await second.client.get('/api/auth/list-sessions')).body.length, 5)
      await Promise.all(Array.from({ length: 8 }, () => signedIn(service(), email)))
      const { context } = service()
      const { length } = await context.database.selectFrom('sessions').select('id').where('userId', '=', id).execute()
      assert.equal(length, 5)
      assert.equal((await others[0]?.client.get('/api/auth/get-session'))?.body, null)
      const events = await context.database
        .selectFrom('auditEvents')
        .select('details')
        .where('action', '=', 'session.ended')
        .where('subjectId', '=', id)
        .execute()
      const details = events.map((event) => JSON.parse(event.details) as { count: number; reason: string })
      assert.ok(details.every(({ reason }) => reason === 'too many sessions'))
      assert.equal(
        details.reduce((sum, { count }) => sum + count, 0),
        9,
      )
    })

    test('SESSIONS_PER_USER counts only sessions of the user, without those of staff who impersonate the user', async () => {
      const { id, email } = await created(service())
      const staff = await administrator(service())
      const sessions = []
      for (let count = 0; count < 5; count++) sessions.push(await signedIn(service(), email))
      service().advance(1000)
      const { status } = await staff.client.post('/api/auth/admin/impersonate-user', { userId: id })
      assert.equal(status, 200)
      assert.ok((await sessions[0]?.client.get('/api/auth/get-session'))?.body, 'the fifth session is allowed')
      service().advance(1000)
      const { client } = await signedIn(service(), email)
      assert.equal((await client.get('/api/auth/list-sessions')).body.length, 5)
      assert.equal((await staff.client.get('/api/auth/get-session')).body.user.id, id)
      assert.equal((await staff.client.post('/api/auth/admin/stop-impersonating')).status, 200)
    })

    test('SESSIONS_PER_USER never revokes the new session, even after the clock went back', async () => {
      const { id, email } = await created(service())
      for (let count = 0; count < 5; count++) await signedIn(service(), email)
      const ahead = service().context.now() + 3_600_000
      await service()
        .context.database.updateTable('sessions')
        .set({ createdAt: ahead })
        .where('userId', '=', id)
        .execute()
      const { client } = await signedIn(service(), email)
      assert.equal((await client.get('/api/auth/list-sessions')).body.length, 5)
    })
  },
  { ORGANIZATIONS_PER_USER: '3', SESSIONS_PER_USER: '5' },
)

onEachDatabase('Other bounds', (service) => {
  test('The bound of 100 passkeys per user holds for concurrent registrations', async () => {
    const { id, email } = await created(service())
    const { client } = await signedIn(service(), email)
    await insertTestPasskeys(service(), id, 98)
    const responses: unknown[] = []
    for (let count = 0; count < CONCURRENT_CALLS; count++)
      responses.push(createAuthenticator(service().baseUrl).create(await registerOptions(client)))
    const answers = await concurrently((index) =>
      client.post('/api/auth/passkey/verify-registration', { response: responses[index] }),
    )
    assert.equal(countSuccesses(answers, 'PASSKEY_LIMIT_REACHED'), 2)
  })

  test('The bound of 1,000 API keys per organization holds for concurrent calls of api-key/create, and for api-key/rotate', async () => {
    const { context } = service()
    const { client, id, organization } = await administratorWithOrganization(service())
    const key = { organizationId: organization.id, name: 'Key', role: 'member' as const, enabled: 0, expiresAt: null }
    const rows = Array.from({ length: 997 }, () => {
      const more = {
        keyHash: randomUUID(),
        lastUsedAt: null,
        createdBy: id,
        createdAt: 1,
        updatedAt: 1,
        metadata: null,
      }
      return { ...key, id: newId('apk', context), ...more }
    })
    await context.database.insertInto('apiKeys').values(rows).execute()
    const answers = await concurrently(() => client.post('/api/auth/api-key/create', { name: 'New' }))
    assert.equal(countSuccesses(answers, 'API_KEY_LIMIT_REACHED'), 3)
    const other = await administratorWithOrganization(service())
    assert.equal((await other.client.post('/api/auth/api-key/create', { name: 'New' })).status, 200)
    const [row] = rows
    const rotated = await client.post('/api/auth/api-key/rotate', { keyId: row?.id })
    assert.deepEqual([rotated.status, rotated.body.code], [403, 'API_KEY_LIMIT_REACHED'])
  })

  test('The bound of 10,000 open invitations per organization does not count answered or expired invitations', async () => {
    const { context } = service()
    const inviter = await administratorWithOrganization(service())
    const now = context.now()
    const invitation = {
      organizationId: inviter.organization.id,
      role: 'member' as const,
      inviterId: inviter.id,
      secretHash: '',
    }
    const rows = (count: number, status: InvitationStatus, expiresAt: number) =>
      Array.from({ length: count }, () => {
        const id = newId('inv', context)
        return { ...invitation, id, email: `${id}@example.com`, status, createdAt: now, expiresAt }
      })
    const all = [
      ...rows(9_998, 'pending', now + 60_000),
      ...rows(1, 'pending', now - 1),
      ...rows(1, 'accepted', now + 60_000),
    ]
    for (let done = 0; done < all.length; done += 1_000)
      await context.database
        .insertInto('invitations')
        .values(all.slice(done, done + 1_000))
        .execute()
    const answers = await concurrently(() =>
      inviter.client.post(`${ORGANIZATION}/invite-member`, {
        email: newEmail(),
        role: 'member' as const,
        organizationId: inviter.organization.id,
      }),
    )
    assert.equal(countSuccesses(answers, 'INVITATION_LIMIT_REACHED'), 2)
    const email = answers.find(({ status }) => status === 200)?.body.email
    const again = { email, role: 'member', organizationId: inviter.organization.id, resend: true }
    const resent = await inviter.client.post(`${ORGANIZATION}/invite-member`, again)
    assert.equal(resent.status, 200, 'an open invitation is sent again')
  })

  test('The bound of 50,000 members per organization holds for accept-invitation', async () => {
    const founder = await administratorWithOrganization(service())
    const organizationId = founder.organization.id
    const invited = await Promise.all([invite(service(), founder), invite(service(), founder)])
    const [first, second] = [await signUp(service(), invited[0]), await signUp(service(), invited[1])]
    await insertMembers(service(), organizationId, 49_998)
    const accept = ({ client }: typeof first, index: 0 | 1) =>
      client.post(`${ORGANIZATION}/accept-invitation`, { invitationId: invited[index].invitationId })
    const answers = await Promise.all([accept(first, 0), accept(second, 1)])
    assert.equal(countSuccesses(answers, 'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED'), 1)
  })
})
