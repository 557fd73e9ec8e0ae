import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { generateKeyPair, SignJWT } from 'jose'
import { startDocumentedService } from '../support/examples.ts'
import { getFreePort } from '../support/free-port.ts'
import { type Service, startService } from '../support/service.ts'
import { startUnavailableAccounts } from '../support/unavailable-accounts.ts'
import { administratorWithOrganization, member, type TestMember } from '../support/users.ts'

interface VerifyingService {
  ask(method: string, token: string): Promise<{ status: number; body: unknown }>
  stop(): void
}

async function startFromPage(accountsUrl: string): Promise<VerifyingService> {
  const port = await getFreePort()
  const environment = { ACCOUNTS_URL: accountsUrl, PORT: String(port) }
  const { stop } = await startDocumentedService('verify-a-token.md', environment)
  return {
    async ask(method, token) {
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(`http://localhost:${port}/`, { method, headers })
      return { status: response.status, body: await response.json() }
    },
    stop,
  }
}

describe('docs/verify-a-token.md', () => {
  let accounts: Service
  let verifying: VerifyingService
  let founder: TestMember

  before(async () => {
    accounts = await startService({ engine: 'sqlite' })
    verifying = await startFromPage(accounts.baseUrl)
    founder = await administratorWithOrganization(accounts)
  })
  after(async () => {
    verifying?.stop()
    await accounts?.stop()
  })

  async function tokenOf(user: TestMember): Promise<string> {
    return (await user.client.get(`/api/token?org=${founder.organization.slug}`)).body.token
  }

  test('The program in docs/verify-a-token.md authenticates callers and their roles by their tokens', async () => {
    const hire = await member(accounts, founder)
    const token = await tokenOf(hire)
    const read = await verifying.ask('GET', token)
    assert.deepEqual(read, {
      status: 200,
      body: { hello: 'Hilda Hire', organization: founder.organization.slug, role: 'member' },
    })
    assert.equal((await verifying.ask('POST', token)).status, 403)
    assert.equal((await verifying.ask('POST', await tokenOf(founder))).status, 200)
  })

  test('The program in docs/verify-a-token.md refuses forged, changed and malformed tokens', async () => {
    const token = await tokenOf(founder)
    const [head = '', payload = '', signature = ''] = token.split('.')
    const { privateKey } = await generateKeyPair('RS256')
    const forged = await new SignJWT(JSON.parse(Buffer.from(payload, 'base64url').toString()))
      .setProtectedHeader(JSON.parse(Buffer.from(head, 'base64url').toString()))
      .sign(privateKey)
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
    const raised = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('"owner"', '"admin"')).toString(
      'base64url',
    )
    for (const bad of [forged, none, `${head}.${raised}.${signature}`, founder.token, 'x', '']) {
      assert.equal((await verifying.ask('GET', bad)).status, 401, bad.slice(0, 20))
    }
  })

  test('The program in docs/verify-a-token.md responds with 503, not with 401, while Accounts gives it no keys', async (t) => {
    const unable = await startFromPage(await startUnavailableAccounts(t))
    t.after(() => unable.stop())
    assert.deepEqual(await unable.ask('GET', await tokenOf(founder)), { status: 503, body: { error: 'unavailable' } })
  })
})
