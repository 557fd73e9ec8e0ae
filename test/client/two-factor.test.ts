import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthClient } from 'better-auth/client'
import { twoFactorClient } from 'better-auth/client/plugins'
import { onEachDatabase } from '../support/service.ts'
import { appOfUri, enableEmailCodes, enableTotp } from '../support/two-step.ts'
import { newMember, PASSWORD } from '../support/users.ts'

const STEP = 30_000
const WRONG = '00000'

/** Uses the official client with its plugin for two-step verification, unmodified. */
onEachDatabase('Official client of two-step verification', (service) => {
  const now = () => service().context.now()
  const mailedCode = async (email: string) =>
    (await service().emails(email))[0]?.text.match(/\b\d{6}\b/)?.[0] ?? 'no code'

  /** With a bearer token, like a mobile app, or with cookies, like a page. */
  const clientOf = (kind: 'bearer' | 'cookies') => {
    const held = { token: '', twoFactorToken: '', trustDeviceToken: '', methods: [] as string[] }
    const browser = service().client()
    const send: typeof fetch = async (input, init) => {
      const headers = new Headers(init?.headers)
      headers.set('cookie', [...browser.cookies].map((pair) => pair.join('=')).join('; '))
      const response = await fetch(input, { ...init, headers })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '') browser.cookies.delete(name)
        else browser.cookies.set(name, value)
      }
      return response
    }
    const client = createAuthClient({
      baseURL: service().baseUrl,
      plugins: [
        twoFactorClient({
          onTwoFactorRedirect({ twoFactorMethods = [] }) {
            held.methods = twoFactorMethods
          },
        }),
      ],
      fetchOptions: {
        headers: { 'x-forwarded-for': browser.address, origin: service().baseUrl },
        ...(kind === 'cookies' ? { customFetchImpl: send } : { auth: { type: 'Bearer', token: () => held.token } }),
        onSuccess({ response, data }) {
          held.token = response.headers.get('set-auth-token') ?? held.token
          held.twoFactorToken = data?.twoFactorToken ?? held.twoFactorToken
          held.trustDeviceToken = data?.trustDeviceToken ?? held.trustDeviceToken
        },
      },
    })
    /** The fields that a client without cookies adds to the second step. */
    const challenge = (): object => (kind === 'bearer' ? { twoFactorToken: held.twoFactorToken } : {})
    return { client, held, challenge }
  }

  const signedIn = async (kind: 'bearer' | 'cookies', email: string) => {
    const one = clientOf(kind)
    assert.equal((await one.client.signIn.email({ email, password: PASSWORD })).error, null)
    return one
  }

  for (const kind of ['bearer', 'cookies'] as const) {
    test(`The official client sets up an authenticator app, signs in with it and turns it off (${kind})`, async () => {
      const { email } = await newMember(service())
      const { client, held } = await signedIn(kind, email)
      const setup = await client.twoFactor.enable({ password: PASSWORD, method: 'totp', issuer: 'Example Works' })
      assert.ok(setup.data?.method === 'totp', JSON.stringify(setup.error))
      assert.equal(setup.data.backupCodes.length, 10)
      const app = appOfUri(setup.data.totpURI)
      assert.equal((await client.getSession()).data?.user.twoFactorEnabled, false)
      const enabled = await client.twoFactor.verifyTotp({ code: app.codeAt(now()) })
      assert.equal(enabled.data?.user.email, email)
      assert.equal(enabled.data?.token, held.token)
      assert.equal((await client.getSession()).data?.user.twoFactorEnabled, true)
      const shown = await client.twoFactor.getTotpUri({ password: PASSWORD })
      assert.deepEqual(appOfUri(shown.data?.totpURI ?? '').secret, app.secret)
      const renewed = await client.twoFactor.generateBackupCodes({ password: PASSWORD })
      assert.equal(renewed.data?.backupCodes.length, 10)

      const again = await signedIn(kind, email)
      assert.deepEqual(again.held.methods, ['totp'])
      assert.equal(again.held.token, '')
      assert.equal((await again.client.getSession()).data, null)
      const verified = await again.client.twoFactor.verifyTotp({
        code: app.codeAt(now() + STEP),
        trustDevice: true,
        ...again.challenge(),
      })
      assert.equal(verified.data?.token, again.held.token)
      assert.equal((await again.client.getSession()).data?.user.email, email)

      again.held.methods = []
      const credentials = { email, password: PASSWORD }
      const trustDeviceToken = kind === 'bearer' ? { trustDeviceToken: again.held.trustDeviceToken } : {}
      const trusted = await again.client.signIn.email({ ...credentials, ...trustDeviceToken })
      assert.equal(trusted.data?.user.email, email)
      assert.deepEqual(again.held.methods, [])
      assert.equal((await again.client.twoFactor.disable({ password: PASSWORD })).data?.status, true)
      assert.equal((await again.client.getSession()).data?.user.twoFactorEnabled, false)
      assert.equal((await client.getSession()).data, null)
    })

    test(`The official client signs in with recovery codes (${kind})`, async () => {
      const user = await newMember(service())
      const { backupCodes } = await enableTotp(service(), user)
      const [first = '', second = ''] = backupCodes
      const one = await signedIn(kind, user.email)
      const used = await one.client.twoFactor.verifyBackupCode({ code: first, ...one.challenge() })
      assert.equal(used.data?.token, one.held.token)
      assert.equal((await one.client.getSession()).data?.user.email, user.email)
      const other = await signedIn(kind, user.email)
      const body = { code: second, disableSession: true, ...other.challenge() }
      const withoutSession = await other.client.twoFactor.verifyBackupCode(body)
      assert.deepEqual([withoutSession.data?.user.email, withoutSession.data?.token], [user.email, undefined])
      assert.equal((await other.client.getSession()).data, null)
    })

    test(`The official client sets up codes by email and signs in with one (${kind})`, async () => {
      const { email } = await newMember(service())
      const { client } = await signedIn(kind, email)
      const setup = await client.twoFactor.enable({ password: PASSWORD, method: 'otp' })
      assert.equal(setup.data?.method, 'otp')
      assert.equal((await client.twoFactor.sendOtp()).data?.status, true)
      assert.equal((await client.twoFactor.verifyOtp({ code: await mailedCode(email) })).error, null)
      const again = await signedIn(kind, email)
      assert.deepEqual(again.held.methods, ['otp'])
      assert.equal((await again.client.twoFactor.sendOtp(again.challenge())).data?.status, true)
      const verified = await again.client.twoFactor.verifyOtp({ code: await mailedCode(email), ...again.challenge() })
      assert.equal(verified.data?.token, again.held.token)
      assert.equal((await again.client.getSession()).data?.user.twoFactorEnabled, true)
    })
  }

  test('The service refuses with the error codes of the official client', async () => {
    const { $ERROR_CODES: known } = twoFactorClient()
    const answered = new Set<string>()
    const expect = async (
      expected: keyof typeof known,
      answer: Promise<{ error: { code?: string | undefined } | null }>,
    ) => {
      assert.equal((await answer).error?.code, known[expected].code)
      answered.add(expected)
    }
    const plain = (await signedIn('bearer', (await newMember(service())).email)).client.twoFactor
    const password = PASSWORD
    await expect('TOTP_NOT_ENABLED', plain.getTotpUri({ password }))
    await expect('TWO_FACTOR_NOT_ENABLED', plain.disable({ password }))
    await expect('OTP_NOT_ENABLED', plain.sendOtp())
    await expect('BACKUP_CODES_NOT_ENABLED', plain.verifyBackupCode({ code: WRONG }))
    const stranger = clientOf('bearer').client.twoFactor
    await expect('INVALID_TWO_FACTOR_COOKIE', stranger.verifyTotp({ code: WRONG }))

    const mailed = await newMember(service())
    const { client } = await signedIn('bearer', mailed.email)
    await enableEmailCodes(service(), mailed)
    await expect('OTP_HAS_EXPIRED', client.twoFactor.verifyOtp({ code: WRONG }))

    const user = await newMember(service())
    const { client: session } = await signedIn('bearer', user.email)
    await enableTotp(service(), user)
    await expect('TOTP_ALREADY_ENABLED', session.twoFactor.enable({ password }))
    const one = await signedIn('bearer', user.email)
    const wrong = { code: WRONG, ...one.challenge() }
    for (let count = 0; count < 4; count++) await expect('INVALID_CODE', one.client.twoFactor.verifyTotp(wrong))
    await expect('INVALID_BACKUP_CODE', one.client.twoFactor.verifyBackupCode(wrong))
    await expect('TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE', one.client.twoFactor.verifyTotp(wrong))
    for (let count = 0; count < 5; count++) await session.twoFactor.verifyTotp({ code: WRONG })
    await expect('ACCOUNT_TEMPORARILY_LOCKED', session.twoFactor.verifyTotp({ code: WRONG }))
    // The service has no configuration that would turn a kind of code off.
    const neverAnswered = Object.keys(known).filter((code) => !answered.has(code))
    assert.deepEqual(neverAnswered.sort(), ['OTP_NOT_CONFIGURED', 'TOTP_NOT_CONFIGURED'])
  })
})
