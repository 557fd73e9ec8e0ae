import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../../../test/support/bearer-client.ts'
import { leaseEmails } from '../../../test/support/lease-emails.ts'
import { addPasskey, type PasskeyUser, userWithPasskey } from '../../../test/support/passkeys.ts'
import { randomLetters } from '../../../test/support/random-letters.ts'
import { secondProcess } from '../../../test/support/second-process.ts'
import { onEachDatabase, type Service } from '../../../test/support/service.ts'
import { appOfUri } from '../../../test/support/two-step.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  newMember,
  PASSWORD,
  tokenIn,
} from '../../../test/support/users.ts'
import { maintain } from '../../maintenance.ts'

const HOUR = 3_600_000
const INVITE = '/api/auth/organization/invite-member'

onEachDatabase('email limits', (service) => {
  const getSecond = secondProcess(service)
  const post = (path: string, body: object) => service().client().post(path, body)
  const askForReset = (email: string) => post('/api/auth/request-password-reset', { email })
  const askForVerification = (email: string) => post('/api/auth/send-verification-email', { email })
  const times = async <T>(count: number, ask: () => Promise<T>) => {
    const answers: T[] = []
    for (let index = 0; index < count; index += 1) answers.push(await ask())
    return answers
  }
  const count = async (recipient: string, kind: string) => (await outboxOf(service(), recipient, kind)).length

  test('The sixth password reset within an hour returns 200 as for an unknown email address, and sends nothing', async () => {
    const { email } = await newMember(service())
    const known = await times(7, () => askForReset(email))
    const unknownEmail = newEmail()
    const unknown = await times(7, () => askForReset(unknownEmail))
    const answers = [...known, ...unknown].map(({ status, body }) => JSON.stringify({ status, body }))
    assert.deepEqual(new Set(answers).size, 1)
    assert.equal(known[0]?.status, 200)
    assert.equal(await count(email, 'reset password'), 5)

    service().advance(HOUR)
    await askForReset(email)
    assert.equal(await count(email, 'reset password'), 6)
  })

  test('Emails of a time when the clock was ahead count no more after its correction', async () => {
    const { email } = await newMember(service())
    await times(6, () => askForReset(email))
    const { database, now } = service().context
    await database
      .updateTable('outbox')
      .set({ createdAt: now() + 2 * HOUR })
      .where('recipient', '=', email)
      .execute()
    await askForReset(email)
    assert.equal(await count(email, 'reset password'), 6)
  })

  test('Each kind of email has its own limit', async () => {
    const { id, email } = await newMember(service())
    await service().context.database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', id).execute()
    await times(8, () => askForVerification(email))
    await askForReset(email)
    assert.deepEqual([await count(email, 'verify email'), await count(email, 'reset password')], [5, 1])
  })

  test('Requests that send no email do not count', async () => {
    const founder = await administratorWithOrganization(service())
    const email = newEmail()
    await times(8, () => askForReset(email))
    await times(8, () => askForVerification(email))
    const { client } = await member(service(), founder)
    const taken = await newMember(service())
    await times(5, () => client.post('/api/auth/change-email', { newEmail: taken.email }))
    const { linkPath } = await invite(service(), founder, email)
    assert.ok(linkPath)
    await askForReset(taken.email)
    assert.deepEqual([await count(taken.email, 'change email'), await count(taken.email, 'reset password')], [0, 1])
  })

  test('The sixth change to the same new email address by any user returns 200 and sends nothing', async () => {
    const users = [await newMember(service()), await newMember(service())]
    const email = newEmail()
    const answers = await times(4, () =>
      Promise.all(users.map(({ client }) => client.post('/api/auth/change-email', { newEmail: email }))),
    )
    assert.deepEqual(new Set(answers.flat().map(({ status }) => status)), new Set([200]))
    assert.equal(await count(email, 'change email'), 5)
  })

  test('The sixth change-email of a user within an hour returns 429, sends nothing and leaves the link of the fifth', async () => {
    const { client, email } = await newMember(service())
    const addresses = Array.from({ length: 6 }, newEmail)
    const statuses: number[] = []
    for (const address of addresses)
      statuses.push((await client.post('/api/auth/change-email', { newEmail: address })).status)
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429])
    const [fifth = '', sixth = ''] = addresses.slice(4)
    assert.deepEqual(await service().emails(sixth), [])
    assert.equal(await count(email, 'email change requested'), 5)
    const answer = await client.get(`/api/auth/verify-email?token=${await tokenIn(service(), fifth)}`)
    assert.equal(answer.body.user?.email, fifth)
  })

  test('The sixth change-email of a user within an hour returns 429, also after a change of the address', async () => {
    const { client } = await newMember(service())
    const ask = async (address = newEmail()) => {
      const answer = await client.post('/api/auth/change-email', { newEmail: address })
      return { ...answer, address }
    }
    const first = await ask()
    service().advance(HOUR / 12)
    const taken = await newMember(service())
    const asked = [first, await ask(), await ask(taken.email), await ask()]
    const applied = asked.at(-1)?.address ?? ''
    const path = `/api/auth/verify-email?token=${await tokenIn(service(), applied)}`
    assert.equal((await client.get(path)).body.user?.email, applied)
    asked.push(await ask(), await ask())
    assert.deepEqual(
      asked.map(({ status }) => status),
      [200, 200, 200, 200, 200, 429],
    )
    const waitSeconds = Number(asked.at(-1)?.headers.get('retry-after'))
    assert.ok(waitSeconds > 3_200 && waitSeconds <= 3_300, `${waitSeconds} s, an hour after the first`)
    assert.equal(await count(applied, 'email change requested'), 1)
  })

  test('The sixth deletion link within an hour returns 429', async () => {
    const { client, email } = await newMember(service())
    const answers = await times(6, () => client.post('/api/auth/delete-user', {}))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200, 429],
    )
    assert.ok(Number(answers[5]?.headers.get('retry-after')) > 3_500)
    assert.equal(await count(email, 'delete user'), 5)
  })

  const sixPasswords = Array.from({ length: 6 }, (_, index) => `${PASSWORD} ${index}`)
  /** Six changes of each kind, and the kinds of their notices. */
  const changes: [kinds: string[], change: (user: PasskeyUser) => Promise<unknown>][] = [
    [
      ['password changed'],
      async ({ client }) => {
        let currentPassword = PASSWORD
        for (const newPassword of sixPasswords) {
          const { status } = await client.post('/api/auth/change-password', { currentPassword, newPassword })
          assert.equal(status, 200)
          currentPassword = newPassword
        }
      },
    ],
    [
      ['password set by staff'],
      async ({ id: userId }) => {
        const { client } = await administrator(service())
        for (const newPassword of sixPasswords)
          assert.equal((await client.post('/api/auth/admin/set-user-password', { userId, newPassword })).status, 200)
      },
    ],
    [
      ['email set by staff'],
      async ({ id: userId, email: first }) => {
        const { client } = await administrator(service())
        const second = newEmail()
        for (const email of Array(6).fill([second, first]).flat())
          assert.equal((await client.post('/api/auth/admin/update-user', { userId, data: { email } })).status, 200)
      },
    ],
    [
      ['passkey added', 'passkey deleted'],
      async (user) => {
        for (const { passkeyId: id } of await times(6, () => addPasskey(service(), user)))
          assert.equal((await user.client.post('/api/auth/passkey/delete-passkey', { id })).status, 200)
      },
    ],
    [
      ['organization deleted'],
      async ({ client }) => {
        const deleteOne = async () => {
          const slug = `org-${randomLetters()}`
          const { id } = (await client.post('/api/auth/organization/create', { name: 'Example Works', slug })).body
          return client.post('/api/auth/organization/delete', { organizationId: id })
        }
        for (const { status } of await times(6, deleteOne)) assert.equal(status, 200)
      },
    ],
    [
      ['two-step enabled', 'two-step disabled'],
      async ({ client }) => {
        const post = (name: string, body: object) => client.post(`/api/auth/two-factor/${name}`, body)
        for (let time = 0; time < 6; time += 1) {
          const { totpURI } = (await post('enable', { password: PASSWORD })).body
          const code = appOfUri(totpURI).codeAt(service().context.now())
          assert.equal((await post('verify-totp', { code })).status, 200)
          assert.equal((await post('disable', { password: PASSWORD })).status, 200)
        }
      },
    ],
  ]
  for (const [kinds, change] of changes)
    test(`The sixth notice of the kind ${kinds.join(' and ')} within an hour is not sent, and its change is made`, async () => {
      const user = await userWithPasskey(service())
      await change(user)
      for (const kind of kinds) assert.equal(await count(user.email, kind), 5)
    })

  test('The sixth invitation to one email address by any organization returns 429 and changes nothing', async () => {
    const [first, second] = [
      await administratorWithOrganization(service()),
      await administratorWithOrganization(service()),
    ]
    const { email, invitationId } = await invite(service(), first)
    await leaseEmails(service())
    service().advance(HOUR / 5)
    for (let resends = 0; resends < 4; resends += 1) {
      await first.client.post(INVITE, { email, role: 'member', resend: true })
      await leaseEmails(service())
    }
    const before = await service().context.database.selectFrom('invitations').selectAll().execute()
    const refused = [
      await first.client.post(INVITE, { email, role: 'admin', resend: true }),
      await second.client.post(INVITE, { email, role: 'member' }),
    ]
    for (const { status, body, headers } of refused) {
      assert.deepEqual([status, body.code, body.field], [429, 'TOO_MANY_REQUESTS', 'email'])
      assert.equal(headers.get('retry-after'), headers.get('x-retry-after'))
      const waitSeconds = Number(headers.get('retry-after'))
      assert.ok(waitSeconds > 2_780 && waitSeconds <= 2_880, `${waitSeconds} s, an hour after the oldest of the five`)
    }
    assert.deepEqual(await service().context.database.selectFrom('invitations').selectAll().execute(), before)
    assert.equal(await count(email, 'invitation'), 5)
    service().advance(HOUR * 0.8)
    const sent = await second.client.post(INVITE, { email, role: 'member' })
    assert.deepEqual([sent.status, sent.body.id === invitationId], [200, false])
  })

  test('An invitation counts for its email address only if the service has begun to send its email', async () => {
    const [first, second] = [
      await administratorWithOrganization(service()),
      await administratorWithOrganization(service()),
    ]
    const email = newEmail()
    const inviteAndCancel = async (isSending: boolean) => {
      const { status, body } = await first.client.post(INVITE, { email, role: 'member' })
      if (isSending) await leaseEmails(service())
      await first.client.post('/api/auth/organization/cancel-invitation', { invitationId: body.id })
      return status
    }
    const statuses = [
      ...(await times(6, () => inviteAndCancel(false))),
      ...(await times(6, () => inviteAndCancel(true))),
    ]
    assert.deepEqual(statuses, [...Array(11).fill(200), 429])
    assert.equal((await second.client.post(INVITE, { email, role: 'member' })).status, 429)
    service().advance(HOUR)
    assert.equal((await second.client.post(INVITE, { email, role: 'member' })).status, 200)
  })

  test('Concurrent requests through two processes send exactly five emails', async () => {
    const founder = await administratorWithOrganization(service())
    const { email } = await member(service(), founder)
    const second = await getSecond()
    const both = (index: number) => (index % 2 ? second : service())
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        both(index).client().post('/api/auth/request-password-reset', { email }),
      ),
    )
    assert.equal(await count(email, 'reset password'), 5)

    const invited = newEmail()
    const organizationIds = await times(20, async () => {
      const organization = { name: 'Example Works', slug: `org-${randomLetters()}` }
      return (await founder.client.post('/api/auth/organization/create', organization)).body.id
    })
    const answers = await Promise.all(
      organizationIds.map((organizationId, index) =>
        bearerClient(both(index), founder).post(INVITE, { email: invited, role: 'member', organizationId }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 5)
    assert.equal(await count(invited, 'invitation'), 5)
  })

  test('deleteUnusedLimits deletes unused locks', async () => {
    const { database } = service().context
    const { email } = await newMember(service())
    await askForReset(email)
    const locks = async () => (await database.selectFrom('emailLimits').selectAll().execute()).length
    await maintain(service().context)
    assert.ok((await locks()) > 0)
    service().advance(HOUR)
    await maintain(service().context)
    assert.equal(await locks(), 0)
  })
})

onEachDatabase(
  'The daily limit on invitations',
  (service) => {
    test('An organization gets 429 until a day after the fourth last invitation', async () => {
      const [first, second] = [
        await administratorWithOrganization(service()),
        await administratorWithOrganization(service()),
      ]
      await invite(service(), first)
      service().advance(HOUR)
      const answers = await Promise.all(
        Array.from({ length: 5 }, () =>
          first.client.post(INVITE, {
            email: newEmail(),
            role: 'member',
            organizationId: first.organization.id,
          }),
        ),
      )
      assert.equal(answers.filter(({ status }) => status === 200).length, 3)
      const refused = answers.find(({ status }) => status === 429)
      const waitSeconds = Number(refused?.headers.get('retry-after'))
      assert.ok(waitSeconds > 82_700 && waitSeconds <= 82_800, `${waitSeconds} s`)
      assert.match(refused?.body.message, /in a day/)
      assert.equal((await second.client.post(INVITE, { email: newEmail(), role: 'member' })).status, 200)
    })

    test('Invitations of a time when the clock was ahead count no more after its correction', async () => {
      const { client, organization } = await administratorWithOrganization(service())
      const send = () => client.post(INVITE, { email: newEmail(), role: 'member', organizationId: organization.id })
      for (let count = 0; count < 4; count += 1) assert.equal((await send()).status, 200)
      assert.equal((await send()).status, 429)
      const { database, now } = service().context
      const sent = database.updateTable('outbox').where('organizationId', '=', organization.id)
      await sent.set({ createdAt: now() + 25 * HOUR }).execute()
      assert.equal((await send()).status, 200)
    })
  },
  { ORGANIZATION_INVITATIONS_PER_DAY: '4' },
)

function outboxOf({ context }: Service, recipient: string, kind: string) {
  return context.database
    .selectFrom('outbox')
    .select('id')
    .where('recipient', '=', recipient)
    .where('kind', '=', kind)
    .execute()
}
