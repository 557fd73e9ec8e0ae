import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { jwtVerify } from 'jose'
import { signJwt } from './sign-jwt.ts'

const CLAIMS = { sub: 'usr_1', name: 'Zoë 🦉', exp: 4_102_444_800 }

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

describe('signJwt', () => {
  for (const [algorithm, { publicKey, privateKey }] of [
    ['RS256', rsa],
    ['ES256', ec],
  ] as const) {
    test(`signJwt signs a token with ${algorithm} that another library verifies`, async () => {
      const token = await signJwt({ algorithm, kid: 'key_1', privateKey }, 'JWT', CLAIMS)
      const { payload, protectedHeader } = await jwtVerify(token, publicKey, { algorithms: [algorithm], typ: 'JWT' })
      assert.deepEqual(payload, CLAIMS)
      assert.deepEqual(protectedHeader, { alg: algorithm, typ: 'JWT', kid: 'key_1' })
    })
  }
})
