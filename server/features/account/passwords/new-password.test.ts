import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  newEmail,
  PASSWORD,
  signedIn,
} from '../../../../test/support/users.ts'
import { createToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { createAdmin } from '../setup/create-admin.ts'

type Refusal = [code: string, field?: string]

onEachDatabase('A new password', (service) => {
  /** Every route that sets a password, each with a user of its own. */
  const ways = async () => {
    const { context } = service()
    const email = newEmail()
    const admin = await administrator(service())
    const founder = await administratorWithOrganization(service())
    const invited = await invite(service(), founder)
    const user = { email, name: 'Hilda Hire', data: { emailVerified: true } }
    const { body } = await admin.client.post('/api/auth/admin/create-user', { ...user, password: PASSWORD })
    const userId = body.user.id
    const { client } = await signedIn(service(), email)
    const token = await createToken(context.database, context, 'reset password', { userId, data: {} })
    const post = async (by: typeof client, path: string, body: unknown): Promise<Refusal | undefined> => {
      const answer = await by.post(path, body)
      assert.ok(answer.status === 200 || answer.status === 400, `${path}: ${answer.status}`)
      return answer.status === 400 ? [answer.body.code, answer.body.field] : undefined
    }
    const stranger = service().client()
    await stranger.get(invited.linkPath)
    const fresh = newEmail()
    return {
      'sign-up': [
        invited.email,
        (password: string) =>
          post(stranger, '/api/auth/sign-up/email', { name: 'Ira Invited', email: invited.email, password }),
      ],
      'reset-password': [
        email,
        (newPassword: string) => post(service().client(), '/api/auth/reset-password', { token, newPassword }),
      ],
      'change-password': [
        email,
        (newPassword: string) => post(client, '/api/auth/change-password', { currentPassword: PASSWORD, newPassword }),
      ],
      'create-user': [
        fresh,
        (password: string) =>
          post(admin.client, '/api/auth/admin/create-user', { name: 'New', email: fresh, password }),
      ],
      'set-user-password': [
        email,
        (newPassword: string) => post(admin.client, '/api/auth/admin/set-user-password', { userId, newPassword }),
      ],
      'the command line': [
        fresh,
        (password: string) =>
          createAdmin(context, { name: 'New', email: fresh, password }).then(
            () => undefined,
            (error: unknown): Refusal => (error instanceof ApiError ? [error.code, 'password'] : ['none']),
          ),
      ],
    } satisfies Record<string, [email: string, set: (password: string) => Promise<Refusal | undefined>]>
  }

  test('Every route that sets a password refuses the same passwords', async () => {
    for (const [name, [email, set]] of Object.entries(await ways())) {
      const field = name.includes('password') ? 'newPassword' : 'password'
      for (const [password, code] of [
        ['987654321', 'PASSWORD_TOO_COMMON'],
        ['        ', 'PASSWORD_TOO_COMMON'],
        ['password1', 'PASSWORD_TOO_COMMON'],
        [email, 'PASSWORD_TOO_PERSONAL'],
        ['Accounts1', 'PASSWORD_TOO_PERSONAL'],
      ] as const) {
        const refused = await set(password)
        assert.deepEqual(refused, [code, field], `${name}: ${password}`)
      }
    }
  })

  test("A password that is mostly the name of one of the user's organizations is refused", async () => {
    const founder = await administratorWithOrganization(service())
    const answer = await founder.client.post('/api/auth/change-password', {
      currentPassword: PASSWORD,
      newPassword: `${founder.organization.name}17`,
    })
    assert.deepEqual([answer.status, answer.body.code], [400, 'PASSWORD_TOO_PERSONAL'])
    const invited = await invite(service(), founder)
    const client = service().client()
    await client.get(invited.linkPath)
    const body = { name: 'Ira Invited', email: invited.email, password: 'exampleworks1' }
    assert.equal((await client.post('/api/auth/sign-up/email', body)).body.code, 'PASSWORD_TOO_PERSONAL')
  })

  test('A password that was set before these rules still signs in', async () => {
    const { context } = service()
    const admin = await administrator(service())
    const email = newEmail()
    const user = { email, name: 'Old User', password: PASSWORD, data: { emailVerified: true } }
    const { body } = await admin.client.post('/api/auth/admin/create-user', user)
    const passwordHash = await context.passwords.hash('987654321')
    await context.database.updateTable('accounts').set({ passwordHash }).where('userId', '=', body.user.id).execute()
    assert.equal((await signedIn(service(), email, '987654321')).id, body.user.id)
  })
})

onEachDatabase('The password of the first administrator', (service) => {
  test('setup refuses a weak password and leaves the link usable', async () => {
    const token = await service().setupToken()
    const email = newEmail()
    const set = (password: string) =>
      service().client().post('/api/setup', { token, name: 'Ada Admin', email, password })
    assert.equal((await set('987654321')).body.code, 'PASSWORD_TOO_COMMON')
    assert.equal((await set(email)).body.code, 'PASSWORD_TOO_PERSONAL')
    assert.equal((await set(PASSWORD)).status, 200)
  })
})
