import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createAuthenticator } from '../../../../test/support/authenticator.ts'
import type { Client } from '../../../../test/support/client.ts'
import { authenticateOptions, registerOptions, userWithPasskey } from '../../../../test/support/passkeys.ts'
import { type Service, startService } from '../../../../test/support/service.ts'
import { newMember } from '../../../../test/support/users.ts'

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
/** `npm run test:long` changes every byte. */
const distance = Number(process.env.CHANGED_BYTE_DISTANCE ?? 4)
const first = seed % distance

type Response = { response: object }

// The code refuses these responses before it writes, so one engine is enough.
describe(`Changed responses of passkeys (TEST_SEED=${seed})`, () => {
  let service: Service
  before(async () => {
    service = await startService({ engine: 'sqlite' })
  })
  after(() => service.stop())

  test('A changed response never signs in and never causes a server error', async () => {
    const { authenticator } = await userWithPasskey(service)
    const random = randomNumbers(seed)
    const client = service.client()
    for (const field of ['id', 'rawId', 'clientDataJSON', 'authenticatorData', 'signature', 'userHandle']) {
      const { length } = bytesAt(authenticator.get(await authenticateOptions(client)), field)
      for (let at = first; at < length; at += distance) {
        const answer = authenticator.get(await authenticateOptions(elsewhere(client)))
        const tampered = changeByte(answer, field, at, random)
        await expectRefusal(client, 'verify-authentication', tampered, `${field}[${at}]`)
      }
    }
  })

  test('A changed response never registers a passkey and never causes a server error', async () => {
    const { client } = await newMember(service)
    const random = randomNumbers(seed)
    const fields = ['id', 'rawId', 'clientDataJSON', 'attestationObject', 'authenticatorData', 'publicKey']
    for (const field of fields) {
      const { length } = bytesAt(
        createAuthenticator(service.baseUrl).create(await registerOptions(elsewhere(client))),
        field,
      )
      for (let at = first; at < length; at += distance) {
        const answer = createAuthenticator(service.baseUrl).create(await registerOptions(elsewhere(client)))
        // Nothing signs the client data without an attestation, and unknown members are ignored (WebAuthn, section
        // 5.8.1). A change of this name is therefore accepted, and means "not cross-origin".
        if (field === 'clientDataJSON' && isNameOf('crossOrigin', bytesAt(answer, field), at)) continue
        const tampered = changeByte(answer, field, at, random)
        await expectRefusal(client, 'verify-registration', tampered, `${field}[${at}]`)
      }
    }
    assert.deepEqual((await client.get('/api/auth/passkey/list-user-passkeys')).body, [])
  })

  test('A response with another encoding of base64, or cut short, is refused', async () => {
    const { authenticator } = await userWithPasskey(service)
    const client = service.client()
    for (const field of ['clientDataJSON', 'authenticatorData', 'signature', 'id']) {
      for (const spell of [
        (text: string) => text.slice(0, -1),
        (text: string) => `${text}A`,
        (text: string) => `${text}=`,
        (text: string) => text.slice(0, -1) + nextCharacter(text.at(-1) ?? ''),
        () => 'A',
      ]) {
        const answer = authenticator.get(await authenticateOptions(client))
        await expectRefusal(client, 'verify-authentication', changeText(answer, field, spell), field)
      }
    }
  })
})

/** A new network address each time, so that no rate limit refuses the request. */
let addresses = 0
function nextAddress(): Record<string, string> {
  addresses += 1
  return {
    'x-forwarded-for': `2001:${(0xdb8 + (addresses >> 16)).toString(16)}:${(addresses & 0xffff).toString(16)}::1`,
  }
}

function elsewhere(client: Client): Client {
  return { ...client, get: (path, options) => client.get(path, { ...options, headers: nextAddress() }) }
}

async function expectRefusal(client: Client, path: string, response: Response, what: string): Promise<void> {
  const answer = await client.post(`/api/auth/passkey/${path}`, { response }, { headers: nextAddress() })
  assert.ok(answer.status === 400 || answer.status === 401, `${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
  assert.ok(answer.body.code && answer.body.message, what)
}

function place(response: Response, field: string): Record<string, string> {
  return (field in response ? response : response.response) as Record<string, string>
}

function bytesAt(response: Response, field: string): Buffer {
  return Buffer.from(place(response, field)[field] ?? '', 'base64url')
}

function changeText<R extends Response>(response: R, field: string, change: (text: string) => string): R {
  const copy = structuredClone(response)
  const part = place(copy, field)
  part[field] = change(part[field] ?? '')
  return copy
}

function changeByte<R extends Response>(response: R, field: string, at: number, random: () => number): R {
  return changeText(response, field, (text) => {
    const bytes = Buffer.from(text, 'base64url')
    // Signatures differ in length.
    const within = at % bytes.length
    bytes[within] = (bytes[within] ?? 0) ^ (1 + Math.floor(random() * 255))
    return bytes.toString('base64url')
  })
}

function isNameOf(member: string, json: Buffer, at: number): boolean {
  const start = json.indexOf(`"${member}"`)
  return at > start && at <= start + member.length
}

function nextCharacter(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[(alphabet.indexOf(character) + 1) % alphabet.length] ?? 'A'
}

/** Mulberry32: the same numbers for the same seed. */
function randomNumbers(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
