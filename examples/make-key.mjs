import { writeFileSync } from 'node:fs'
import { exportJWK, generateKeyPair } from 'jose'

const { PRIVATE_KEY_FILE = 'private-key.json' } = process.env
const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
const name = { alg: 'ES256', kid: crypto.randomUUID() }
writeFileSync(PRIVATE_KEY_FILE, JSON.stringify({ ...(await exportJWK(privateKey)), ...name }), { mode: 0o600 })
console.log(JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), ...name }] }))
