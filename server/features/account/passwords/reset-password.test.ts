import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maliciousUrls } from '../../../../test/support/malicious-urls.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { enableTotp } from '../../../../test/support/two-step.ts'
import { linkIn, newEmail, newMember, PASSWORD } from '../../../../test/support/users.ts'
import { createToken } from '../../../core/single-use-tokens/single-use-tokens.ts'

const APP = 'https://app.example.com'
const NEW_PASSWORD = 'another fine long password'

onEachDatabase(
  'reset-password',
  (service) => {
    const request = (email: string, more: Record<string, unknown> = {}) =>
      service()
        .client()
        .post('/api/auth/request-password-reset', { email, ...more })
    const tokenFor = async (email: string) => {
      assert.equal((await request(email)).status, 200)
      return new URL(await linkIn(service(), email)).hash.slice('#token='.length)
    }
    const reset = (token: string, newPassword = NEW_PASSWORD, more: Record<string, unknown> = {}) =>
      service()
        .client()
        .post('/api/auth/reset-password', { newPassword, token, ...more })
    const signIn = (email: string, password: string) =>
      service().client().post('/api/auth/sign-in/email', { email, password })

    test('reset-password sets the password, revokes every session and sends an email', async () => {
      const { email, token: session } = await newMember(service())
      const token = await tokenFor(email)
      assert.deepEqual((await reset(token)).body, { status: true })
      const bearer = { headers: { authorization: `Bearer ${session}` } }
      assert.equal((await service().client().get('/api/auth/get-session', bearer)).body, null)
      assert.equal((await signIn(email, PASSWORD)).status, 401)
      assert.equal((await service().emails(email))[0]?.subject, 'Your password was changed')
      assert.equal((await signIn(email, NEW_PASSWORD)).status, 200)
    })

    test('The email of a reset says that two-step verification is off if the reset of an unverified user ended it', async () => {
      const user = await newMember(service())
      await enableTotp(service(), user)
      const resetText = async () => {
        assert.equal((await reset(await tokenFor(user.email))).status, 200)
        const [message] = await service().emails(user.email)
        assert.equal(message?.subject, 'Your password was changed')
        return message.text.replaceAll(/\s+/g, ' ')
      }
      const users = service().context.database.updateTable('users').set({ emailVerified: 0 })
      assert.doesNotMatch(await resetText(), /two-step/i)
      await users.where('id', '=', user.id).execute()
      assert.match(await resetText(), /Two-step verification is off now\. Set it up after you sign in\./)
      await users.where('id', '=', user.id).execute()
      assert.doesNotMatch(await resetText(), /two-step/i)
    })

    test('CVE-2023-44399: request-password-reset returns the same for a known and an unknown address, and sends nothing to the unknown one', async () => {
      const { email } = await newMember(service())
      const unknownEmail = newEmail()
      const known = await request(email)
      const unknown = await request(unknownEmail)
      assert.equal(known.status, 200)
      assert.deepEqual(known.body, unknown.body)
      assert.deepEqual([...known.headers.keys()], [...unknown.headers.keys()])
      assert.equal((await service().emails(unknownEmail)).length, 0)
      assert.equal((await service().emails(email)).length, 1)
    })

    test('CVE-2019-19844: request-password-reset sends to the stored address only, and refuses look-alikes', async () => {
      const { email } = await newMember(service())
      const look = email.replace('hire', 'h\u0131re')
      assert.deepEqual([(await request(look)).status, (await request(look)).body.code], [400, 'INVALID_EMAIL'])
      assert.equal((await request(email.replace('k', '\u212a').replace('@', '\uff20'))).status, 400)
      await request(email.toUpperCase())
      const [message] = await service().emails(email)
      assert.equal(message?.to, email)
    })

    test('Better Auth 86ccb5de91: reset-password accepts one of concurrent requests with one token', async () => {
      const { email } = await newMember(service())
      const token = await tokenFor(email)
      const answers = await Promise.all(Array.from({ length: 20 }, () => reset(token)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      for (const { status, body } of answers) assert.ok(status === 200 || body.code === 'INVALID_TOKEN', body.code)
    })

    test('CVE-2023-26481: reset-password changes only the user of the token, also when another user is signed in', async () => {
      const one = await newMember(service())
      const two = await newMember(service())
      const token = await tokenFor(one.email)
      const named = await reset(token, NEW_PASSWORD, { email: two.email })
      assert.deepEqual([named.status, named.body.field], [400, 'email'])
      assert.equal(
        (await two.client.post('/api/auth/reset-password', { newPassword: NEW_PASSWORD, token })).status,
        200,
      )
      assert.equal((await signIn(two.email, PASSWORD)).status, 200)
      assert.equal((await signIn(one.email, NEW_PASSWORD)).status, 200)
    })

    test('reset-password refuses a used, expired or changed token, and a weak password leaves the token usable', async () => {
      const { email } = await newMember(service())
      const token = await tokenFor(email)
      const refused = [
        token.slice(0, -1),
        `${token}A`,
        token.toUpperCase(),
        'x',
        `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      ]
      for (const other of refused)
        assert.deepEqual([(await reset(other)).status, (await reset(other)).body.code], [400, 'INVALID_TOKEN'])
      assert.equal((await reset(token, 'short')).body.code, 'PASSWORD_TOO_SHORT')
      assert.equal(
        (await service().client().post(`/api/auth/reset-password?token=${token}`, { newPassword: NEW_PASSWORD }))
          .status,
        200,
      )
      assert.equal((await reset(token)).body.code, 'INVALID_TOKEN')
      const late = await tokenFor(email)
      service().advance(3_600_000)
      assert.equal((await reset(late)).body.code, 'INVALID_TOKEN')
      assert.equal(
        (await service().client().post('/api/auth/reset-password', { newPassword: NEW_PASSWORD })).body.field,
        'token',
      )
    })

    test('An invalid token causes no hash in reset-password, sign-up and delete-user', async (t) => {
      const { passwords } = service().context
      const hash = t.mock.method(passwords, 'hash')
      const verify = t.mock.method(passwords, 'verify')
      const user = { name: 'Eve', email: newEmail(), password: NEW_PASSWORD }
      const madeUp = 'A'.repeat(43)
      const invitation = `inv_${'0'.repeat(26)}.${madeUp}`
      for (const answer of [
        await reset(madeUp),
        await reset(madeUp, 'short'),
        await service()
          .client()
          .post('/api/auth/sign-up/email', { ...user, invitation }),
        await service().client().get(`/api/auth/delete-user/callback?token=${madeUp}`),
      ]) {
        assert.equal(answer.status, 400, JSON.stringify(answer.body))
        assert.ok(['INVALID_TOKEN', 'INVITATION_REQUIRED'].includes(answer.body.code), answer.body.code)
      }
      assert.deepEqual([hash.mock.callCount(), verify.mock.callCount()], [0, 0])
    })

    test('The link for another site redirects with the token and leaves it usable', async () => {
      const { email } = await newMember(service())
      await request(email, { redirectTo: `${APP}/reset?lang=de` })
      const link = new URL(await linkIn(service(), email))
      assert.match(link.pathname, /^\/api\/auth\/reset-password\/[\w-]{43}$/)
      for (let scan = 0; scan < 3; scan += 1) {
        const answer = await service()
          .client()
          .get(link.pathname + link.search)
        assert.equal(answer.status, 302)
        assert.match(
          answer.headers.get('location') ?? '',
          /^https:\/\/app\.example\.com\/reset\?lang=de&token=[\w-]{43}$/,
        )
      }
      const token = link.pathname.split('/').at(-1) ?? ''
      assert.equal((await reset(token)).status, 200)
      const used = await service().client().get(link.pathname)
      assert.equal(used.headers.get('location'), `${service().baseUrl}/reset-password?error=INVALID_TOKEN`)
    })

    test('The email for another site contains no text of the request', async () => {
      const { email } = await newMember(service())
      await request(email, { redirectTo: `${APP}/?YOUR-ACCOUNT-IS-BLOCKED-CALL-US` })
      const [message] = await service().emails(email)
      assert.match(message?.text ?? '', /\/api\/auth\/reset-password\/[\w-]{43}$/m)
      assert.doesNotMatch(`${message?.text}${message?.html}`, /BLOCKED|callbackURL/)
    })

    test('A link with callbackURL, as earlier versions sent it, redirects there', async () => {
      const { email } = await newMember(service())
      const token = await tokenFor(email)
      const answer = await service().client().get(`/api/auth/reset-password/${token}?callbackURL=${APP}/old`)
      assert.equal(answer.headers.get('location'), `${APP}/old?token=${token}`)
      await request(email, { redirectTo: `${APP}/new` })
      const { pathname } = new URL(await linkIn(service(), email))
      const both = await service().client().get(`${pathname}?callbackURL=${APP}/old`)
      assert.equal(both.headers.get('location'), `${APP}/old?token=${pathname.split('/').at(-1)}`)
    })

    test('The link for a site that is not allowed any more redirects to our own page', async () => {
      const { id } = await newMember(service())
      const { context } = service()
      const data = { callbackUrl: 'https://former.example.com/reset' }
      const token = await createToken(context.database, context, 'reset password', { userId: id, data })
      const answer = await service().client().get(`/api/auth/reset-password/${token}`)
      assert.equal(answer.headers.get('location'), `${service().baseUrl}/reset-password?token=${token}`)
    })

    test('GHSA-vp58-j275-797x: request-password-reset refuses a redirect to another site', async () => {
      const { email } = await newMember(service())
      for (const url of maliciousUrls.slice(0, 120)) {
        const client = service().client()
        const asked = await client.post('/api/auth/request-password-reset', { email, redirectTo: url.toWellFormed() })
        const code = url.includes('\0') ? 'VALIDATION_ERROR' : 'INVALID_CALLBACK_URL'
        assert.deepEqual([asked.status, asked.body.code], [400, code], JSON.stringify(url))
        const followed = await client.get(
          `/api/auth/reset-password/${'A'.repeat(43)}?callbackURL=${encodeURIComponent(url.toWellFormed())}`,
        )
        assert.equal(followed.status, 400, JSON.stringify(url))
        assert.equal(followed.headers.get('location'), null)
      }
      assert.equal((await service().emails(email)).filter(({ subject }) => subject === 'Set a new password').length, 0)
    })

    test('CVE-2023-49097, GHSA-3529-5m8x-rpv3, CVE-2025-71401: the link starts with BASE_URL, whatever the headers are', async () => {
      const { email } = await newMember(service())
      const headers = {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
        'x-original-host': 'evil.example',
        'x-host': 'evil.example',
      }
      await service().client().post('/api/auth/request-password-reset', { email }, { headers })
      const [message] = await service().emails(email)
      assert.doesNotMatch(`${message?.text}${message?.html}`, /evil/)
      assert.ok((await linkIn(service(), email)).startsWith(`${service().baseUrl}/reset-password#`))
    })
  },
  { RETURN_TO_ORIGINS: APP },
)
