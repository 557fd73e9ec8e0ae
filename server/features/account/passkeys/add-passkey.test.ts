import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthenticator } from '../../../../test/support/authenticator.ts'
import {
  addPasskey,
  refusals,
  registerOptions,
  tryToAdd,
  tryToSignIn,
  userWithPasskey,
} from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administrator, newMember, signedIn } from '../../../../test/support/users.ts'
import { createToken } from '../../../core/single-use-tokens/single-use-tokens.ts'

const OPTIONS = '/api/auth/passkey/generate-register-options'
const VERIFY = '/api/auth/passkey/verify-registration'
const LIST = '/api/auth/passkey/list-user-passkeys'
const MINUTE = 60_000

onEachDatabase('add-passkey', (service) => {
  test('add-passkey returns the passkey, the session and the user, and lists the passkey', async () => {
    const { client, id, token, email } = await newMember(service())
    const authenticator = createAuthenticator(service().baseUrl)
    const answer = await tryToAdd(client, authenticator)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const { session, user, ...passkey } = answer.body
    assert.equal(session.token, token)
    assert.equal(user.id, id)
    const { id: passkeyId, publicKey, createdAt, ...rest } = passkey
    assert.match(passkeyId, /^psk_/)
    assert.ok(Buffer.from(publicKey, 'base64').length > 60)
    assert.ok(Date.parse(createdAt) > 0)
    assert.deepEqual(rest, {
      name: 'Passkey',
      userId: id,
      credentialID: authenticator.credentialID,
      counter: 1,
      deviceType: 'singleDevice',
      backedUp: false,
      transports: 'internal,hybrid',
      aaguid: '00000000-0000-0000-0000-000000000000',
      lastUsedAt: null,
      authenticatorName: null,
    })
    assert.deepEqual((await client.get(LIST)).body, [passkey])
    assert.equal((await tryToSignIn(service().client(), authenticator)).body.user.email, email)
  })

  test('The options of add-passkey have every field of the contract and demand user verification', async () => {
    const { client, id, email, authenticator } = await userWithPasskey(service())
    const options = await registerOptions(client, '?authenticatorAttachment=cross-platform')
    assert.deepEqual(options.rp, { name: 'Accounts', id: 'localhost' })
    assert.equal(Buffer.from(options.user.id, 'base64url').toString(), id)
    assert.equal(options.user.name, email)
    assert.equal(options.user.displayName, 'Hilda Hire')
    assert.equal(options.timeout, 300_000)
    assert.equal(options.attestation, 'none')
    assert.deepEqual(options.authenticatorSelection, {
      authenticatorAttachment: 'cross-platform',
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    })
    assert.deepEqual(options.excludeCredentials, [
      { id: authenticator.credentialID, type: 'public-key', transports: ['internal', 'hybrid'] },
    ])
    assert.equal(typeof options.extensions, 'object')
    assert.equal(Buffer.from(options.challenge, 'base64url').length, 32)
    assert.equal((await client.get(`${OPTIONS}?authenticatorAttachment=usb`)).body.field, 'authenticatorAttachment')
    assert.equal((await client.get(`${OPTIONS}?context=anything`)).body.field, 'context')
    assert.equal((await client.get(`${OPTIONS}?surprise=1`)).status, 200)
  })

  test('add-passkey takes the name from the response, then from the options, then from the authenticator', async () => {
    const { client } = await newMember(service())
    const add = async (query: string, name: string | undefined, aaguid?: string) => {
      const authenticator = createAuthenticator(service().baseUrl, aaguid ? { aaguid } : {})
      const response = authenticator.create(await registerOptions(client, query))
      return (await client.post(VERIFY, { response, ...(name && { name }), createSession: true })).body.name
    }
    const bitwarden = 'd548826e-79b4-db40-a3d8-11116f7e8349'
    assert.equal(await add('?name=Phone', 'Laptop', bitwarden), 'Laptop')
    assert.equal(await add('?name=Phone', undefined, bitwarden), 'Phone')
    assert.equal(await add('', undefined, bitwarden), 'Bitwarden')
    assert.equal(await add('', undefined, '11111111-2222-3333-4444-555555555555'), 'Passkey')
  })

  test('The email of add-passkey has the name, the time, the network address and advice', async () => {
    const { email, client } = await newMember(service())
    const authenticator = createAuthenticator(service().baseUrl)
    const response = authenticator.create(await registerOptions(client))
    const headers = { 'user-agent': 'Firefox/144.0 (Linux)', 'x-forwarded-for': '192.0.2.7' }
    await client.post(VERIFY, { response, name: '<b>Key</b>' }, { headers })
    const [message] = await service().emails(email)
    assert.equal(message?.subject, 'A passkey was added: <b>Key</b>')
    for (const part of ['192.0.2.7', 'Firefox on Linux', 'UTC', 'If it was not', '/account/security']) {
      assert.ok(message.text.replace(/\s+/g, ' ').includes(part), part)
    }
    assert.ok(message.html.includes('&lt;b&gt;Key&lt;/b&gt;') && !message.html.includes('<b>Key'))
  })

  test('add-passkey refuses a wrong origin, relying party, user verification or type, with the code in the audit log', async () => {
    const { client, id } = await newMember(service())
    const cases = [
      [{ origin: 'https://evil.example' }, 'PASSKEY_WRONG_ORIGIN'],
      [{ crossOrigin: true }, 'PASSKEY_WRONG_ORIGIN'],
      [{ topOrigin: 'https://evil.example' }, 'PASSKEY_WRONG_ORIGIN'],
      [{ rpId: 'evil.example' }, 'PASSKEY_WRONG_RELYING_PARTY'],
      [{ userVerified: false }, 'USER_VERIFICATION_REQUIRED'],
      [{ userPresent: false }, 'FAILED_TO_VERIFY_REGISTRATION'],
      [{ type: 'webauthn.get' }, 'FAILED_TO_VERIFY_REGISTRATION'],
      [{ backedUp: true }, 'FAILED_TO_VERIFY_REGISTRATION'],
      [{ challenge: 'A'.repeat(43) }, 'CHALLENGE_NOT_FOUND'],
    ] as const
    for (const [lies, code] of cases) {
      const answer = await tryToAdd(client, createAuthenticator(service().baseUrl), lies)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.code, code, JSON.stringify(lies))
    }
    assert.deepEqual((await client.get(LIST)).body, [])
    assert.deepEqual(await refusals(service(), 'passkey.refused', id), cases.map(([, code]) => code).sort())
  })

  test('add-passkey refuses a response for another credential and CBOR with a wrong length', async () => {
    const { client } = await newMember(service())
    const make = async () => createAuthenticator(service().baseUrl).create(await registerOptions(client))
    const other = Buffer.alloc(32, 7).toString('base64url')
    const renamed = { ...(await make()), id: other, rawId: other }
    const long = await make()
    const attestation = Buffer.from(long.response.attestationObject, 'base64url')
    const length = attestation.indexOf('authData') + 'authData'.length + 1
    attestation.writeUInt8(attestation.readUInt8(length) + 1, length)
    long.response.attestationObject = attestation.toString('base64url')
    for (const response of [renamed, long]) {
      assert.equal((await client.post(VERIFY, { response })).body.code, 'FAILED_TO_VERIFY_REGISTRATION')
    }
  })

  test('add-passkey accepts an attestation by the passkey itself, and refuses one by a certificate', async () => {
    const { client } = await newMember(service())
    const add = (attestation: 'passkey' | 'certificate') =>
      tryToAdd(client, createAuthenticator(service().baseUrl), { attestation })
    assert.equal((await add('passkey')).status, 200)
    const refused = await add('certificate')
    assert.deepEqual([refused.status, refused.body.code], [400, 'FAILED_TO_VERIFY_REGISTRATION'])
  })

  test('add-passkey refuses an RSA key that is too short', async () => {
    const { client } = await newMember(service())
    const weak = createAuthenticator(service().baseUrl, { algorithm: -257, rsaBits: 1024 })
    assert.equal((await tryToAdd(client, weak)).body.code, 'FAILED_TO_VERIFY_REGISTRATION')
  })

  test('add-passkey refuses a registered passkey, for its user and for another', async () => {
    const { client, authenticator } = await userWithPasskey(service())
    const other = await newMember(service())
    for (const who of [client, other.client]) {
      const answer = await tryToAdd(who, authenticator)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.code, 'PREVIOUSLY_REGISTERED')
    }
    assert.deepEqual((await other.client.get(LIST)).body, [])
  })

  test('CVE-2026-32132, CVE-2026-55377: add-passkey requires a fresh session for the options and for the response', async () => {
    const { client, email } = await newMember(service())
    const options = await registerOptions(client)
    service().advance(15 * MINUTE)
    const response = createAuthenticator(service().baseUrl).create(options)
    const requests = [
      await client.get(OPTIONS),
      await client.post(VERIFY, { response }),
      // An invitation opens these routes to users without a session only.
      await client.get(`${OPTIONS}?context=inv_1.secret`),
      await client.post(VERIFY, { response, binding: 'any' }),
    ]
    for (const answer of requests) {
      assert.equal(answer.status, 403)
      assert.equal(answer.body.code, 'SESSION_NOT_FRESH')
    }
    for (const answer of [await service().client().get(OPTIONS), await service().client().post(VERIFY, { response })]) {
      assert.equal(answer.status, 401)
    }
    const again = await signedIn(service(), email)
    assert.equal((await tryToAdd(again.client, createAuthenticator(service().baseUrl))).status, 200)
  })

  test('CVE-2026-37982: a challenge of add-passkey is usable once, for 5 minutes, in its session and its ceremony', async () => {
    const { client, email, id } = await newMember(service())
    const same = await signedIn(service(), email)
    const other = await newMember(service())
    const create = (options: unknown) => ({
      response: createAuthenticator(service().baseUrl).create(options as never),
    })
    const used = create(await registerOptions(client))
    assert.equal((await client.post(VERIFY, used)).status, 200)
    assert.equal((await client.post(VERIFY, used)).body.code, 'CHALLENGE_NOT_FOUND')
    for (const thief of [same, other]) {
      const answer = await thief.client.post(VERIFY, create(await registerOptions(client)))
      assert.equal(answer.body.code, 'CHALLENGE_FROM_ELSEWHERE')
    }
    const { challenge } = (await client.get('/api/auth/passkey/generate-authenticate-options')).body
    const foreign = create({ ...(await registerOptions(client)), challenge })
    assert.equal((await client.post(VERIFY, foreign)).body.code, 'CHALLENGE_NOT_FOUND')
    const late = create(await registerOptions(client))
    service().advance(5 * MINUTE + 1)
    assert.equal((await client.post(VERIFY, late)).body.code, 'CHALLENGE_NOT_FOUND')
    assert.equal((await client.get(LIST)).body.length, 1)
    assert.equal((await refusals(service(), 'passkey.refused', id)).length, 4)
    assert.equal((await refusals(service(), 'passkey.refused', other.id)).length, 1)
  })

  test('add-passkey adds one passkey for concurrent responses to one challenge', async () => {
    const { client } = await newMember(service())
    const options = await registerOptions(client)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        client.post(VERIFY, { response: createAuthenticator(service().baseUrl).create(options) }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal((await client.get(LIST)).body.length, 1)
  })

  test('GHSA-qq9h-g4jm-xgf3: a password reset of an unverified user deletes the passkeys', async () => {
    const { database } = service().context
    const planter = await addPasskey(service(), await newMember(service()))
    await database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', planter.id).execute()
    const token = await createToken(database, service().context, 'reset password', { userId: planter.id, data: {} })
    const newPassword = 'the owner of the mailbox chose this'
    await service().client().post('/api/auth/reset-password', { token, newPassword })
    assert.equal((await tryToSignIn(service().client(), planter.authenticator)).body.code, 'UNKNOWN_PASSKEY')
  })

  test('add-passkey names the field that is wrong and refuses unknown fields', async () => {
    const { client } = await newMember(service())
    const authenticator = createAuthenticator(service().baseUrl)
    const good = authenticator.create(await registerOptions(client))
    const within = (change: object) => ({ response: { ...good, response: { ...good.response, ...change } } })
    for (const [field, body] of [
      ['response', {}],
      ['response', { response: null }],
      ['response.id', { response: { ...good, id: 'x'.repeat(1365) } }],
      ['response.type', { response: { ...good, type: 'password' } }],
      ['response.response.attestationObject', within({ attestationObject: null })],
      ['response.response.clientDataJSON', within({ clientDataJSON: '=' })],
      ['response.response.transports', within({ transports: 'usb' })],
      ['name', { response: good, name: ' ' }],
      ['name', { response: good, name: 'a\u0000b' }],
      ['name', { response: good, name: 'x'.repeat(101) }],
      ['userId', { response: good, userId: 'usr_1' }],
    ] as const) {
      const answer = await client.post(VERIFY, body)
      assert.equal(answer.status, 400, field)
      assert.equal(answer.body.field, field)
    }
    assert.equal((await client.post(VERIFY, within({ transports: ['usb', 'telepathy'] }))).body.transports, 'usb')
  })

  test("An impersonator can't use any route of passkeys", async () => {
    const { id, passkeyId, authenticator } = await userWithPasskey(service())
    const { client } = await administrator(service())
    assert.equal((await client.post('/api/auth/admin/impersonate-user', { userId: id })).status, 200)
    const response = authenticator.get({ challenge: 'A'.repeat(43), rp: { id: 'localhost' }, user: { id: '' } })
    for (const answer of [
      await client.get(OPTIONS),
      await client.post(VERIFY, { response }),
      await client.get(LIST),
      await client.get('/api/auth/passkey/generate-authenticate-options'),
      await client.post('/api/auth/passkey/verify-authentication', { response }),
      await client.post('/api/auth/passkey/update-passkey', { id: passkeyId, name: 'Mine' }),
      await client.post('/api/auth/passkey/delete-passkey', { id: passkeyId }),
    ]) {
      assert.equal(answer.status, 403)
      assert.equal(answer.body.code, 'IMPERSONATION_NOT_ALLOWED')
    }
  })
})
