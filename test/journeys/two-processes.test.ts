import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { createClient } from '../support/client.ts'
import { printedSetupToken, type ServiceProcess } from '../support/process.ts'
import { prepareSharedDatabase } from '../support/shared-database.ts'
import { PASSWORD } from '../support/users.ts'

const HIRE = 'hire@example.com'
const NEW_PASSWORD = 'another fine long password'

/** Runs two real processes on one PostgreSQL, with a real mail server. */
test('A change in one of two processes on one PostgreSQL is visible to the next request in the other', async (t) => {
  const { sink, environment, start } = await prepareSharedDatabase(t)
  const [one, other] = [await start(), await start()]
  // Only the link that the last process printed is valid.
  const setup = { token: printedSetupToken(other), name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD }
  const at = ({ port }: ServiceProcess) => createClient(`http://localhost:${port}`)
  const headers = { origin: environment.BASE_URL }
  const asBearer = (token: string) => ({ headers: { ...headers, authorization: `Bearer ${token}` } })
  const everywhere = (count: number) => Array.from({ length: count }, (_, index) => (index % 2 === 0 ? one : other))

  const admin = asBearer((await at(one).post('/api/setup', setup, { headers })).body.token)
  const organization = { name: 'Example Works', slug: 'example-works' }
  assert.equal((await at(other).post('/api/auth/organization/create', organization, admin)).status, 200)
  const invitation = await at(one).post('/api/auth/organization/invite-member', { email: HIRE, role: 'member' }, admin)

  const message = await sink.waitForEmail(({ envelope }) => envelope.to.includes(HIRE))
  const reference = /\/invite\/(\S+)/.exec(message.text)?.[1]
  const user = { name: 'Hilda Hire', email: HIRE, password: PASSWORD, invitation: reference }
  const signUps = await Promise.all(
    everywhere(8).map((process) => at(process).post('/api/auth/sign-up/email', user, { headers })),
  )
  assert.equal(signUps.filter(({ status }) => status === 200).length, 1)
  const hire = asBearer(signUps.find(({ status }) => status === 200)?.body.token)
  const accept = { invitationId: invitation.body.id }
  const accepts = await Promise.all(
    everywhere(20).map((process) => at(process).post('/api/auth/organization/accept-invitation', accept, hire)),
  )
  assert.equal(accepts.filter(({ status }) => status === 200).length, 1, 'Better Auth #9993: one membership')

  const issued = await at(one).get('/api/token?org=example-works', hire)
  const keys = createRemoteJWKSet(new URL(`http://localhost:${other.port}/api/auth/jwks`))
  const { payload } = await jwtVerify(issued.body.token, keys, {
    issuer: environment.BASE_URL,
    audience: 'accounts-services',
  })
  assert.equal(payload.org_role, 'member')

  await at(one).post('/api/auth/request-password-reset', { email: HIRE }, { headers })
  const reset = await sink.waitForEmail(({ subject }) => subject === 'Set a new password')
  const token = /#token=(\S+)/.exec(reset.text)?.[1]
  const resets = await Promise.all(
    everywhere(20).map((process) =>
      at(process).post('/api/auth/reset-password', { newPassword: NEW_PASSWORD, token }, { headers }),
    ),
  )
  assert.equal(resets.filter(({ status }) => status === 200).length, 1)
  assert.equal((await at(other).get('/api/auth/get-session', hire)).body, null, 'the reset revoked earlier sessions')

  const credentials = { email: HIRE, password: NEW_PASSWORD }
  const signedIn = await at(one).post('/api/auth/sign-in/email', credentials, { headers })
  const again = asBearer(signedIn.body.token)
  assert.equal((await at(other).get('/api/token?org=example-works', again)).status, 200)
  assert.equal((await at(one).post('/api/auth/admin/ban-user', { userId: signedIn.body.user.id }, admin)).status, 200)
  assert.equal((await at(other).get('/api/token?org=example-works', again)).status, 401)
  assert.equal((await at(other).get('/api/auth/get-session', again)).body, null)

  for (const subject of ['Set a new password', 'Invitation to Example Works']) {
    assert.equal(sink.emails.filter((sent) => sent.subject === subject).length, 1, 'each email was sent once')
  }
  for (const process of [one, other]) {
    process.child.kill('SIGTERM')
    assert.equal(await process.ended, 0)
  }
})
