import { readFileSync } from 'node:fs'
import { importJWK } from 'jose'
import * as openid from 'openid-client'

const { ACCOUNTS_URL = 'http://localhost:3000', API_URL = 'http://localhost:4001' } = process.env
const { RESOURCE = 'https://api.example.com', CLIENT_ID, CLIENT_SECRET, PRIVATE_KEY_FILE } = process.env

/** With a private key, no secret leaves this machine: Accounts has its public key only. */
async function authentication() {
  if (!PRIVATE_KEY_FILE) return openid.ClientSecretBasic(CLIENT_SECRET)
  const jwk = JSON.parse(readFileSync(PRIVATE_KEY_FILE, 'utf8'))
  return openid.PrivateKeyJwt({ key: await importJWK(jwk, jwk.alg), kid: jwk.kid })
}

const accounts = await openid.discovery(new URL(ACCOUNTS_URL), CLIENT_ID, undefined, await authentication(), {
  execute: ACCOUNTS_URL.startsWith('http://localhost') ? [openid.allowInsecureRequests] : [],
})
const parameters = { resource: RESOURCE, scope: 'organization' }
const { access_token: token } = await openid.clientCredentialsGrant(accounts, parameters)
const response = await fetch(API_URL, { headers: { authorization: `Bearer ${token}` } })
console.log(response.status, await response.text())
