import assert from 'node:assert/strict'
import type { Context } from '../../server/core/context.ts'
import type { Client } from './client.ts'
import { listInconsistencies } from './inconsistencies.ts'
import { addSession } from './kill-actions.ts'
import type { Account } from './kill-expectations.ts'
import { assertAuditLogWhole } from './populated.ts'
import { whenServed } from './when-served.ts'

/** Asserts that the database is consistent and that its audit log is complete. */
export async function verifyDatabase(context: Context): Promise<void> {
  assert.deepEqual(await listInconsistencies(context.database), [])
  await assertAuditLogWhole({ context })
}

/** Asserts that every acknowledged change of the user is stored, and that no revoked session is live. */
export async function verifyAccount({ database }: Context, client: Client, account: Account): Promise<void> {
  const { email, exists, names, organizations, invitations } = account
  const user = await database.selectFrom('users').select(['id', 'name']).where('email', '=', email).executeTakeFirst()
  exists.observe(user !== undefined, `whether ${email} exists`)
  if (!user) return
  names.observe(user.name, `the name of ${email}`)
  const renames = await database
    .selectFrom('auditEvents')
    .select('id')
    .where('action', '=', 'user.updated')
    .where('subjectId', '=', user.id)
    .execute()
  assert.ok(renames.length >= account.renamesAcknowledged && renames.length <= account.renamesAttempted)
  for (const [slug, organization] of organizations) {
    const row = database.selectFrom('organizations').select('id').where('slug', '=', slug)
    organization.exists.observe((await row.executeTakeFirst()) !== undefined, `whether ${slug} exists`)
  }
  for (const [invited, invitation] of invitations) {
    const row = database.selectFrom('invitations').select('id').where('email', '=', invited)
    invitation.observe((await row.executeTakeFirst()) !== undefined, `whether ${invited} is invited`)
  }
  await verifySessions(client, account)
  await verifyPassword(client, account)
}

async function verifySessions(client: Client, { email, sessions }: Account): Promise<void> {
  for (const [token, live] of sessions) {
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    const { status, body } = await whenServed(() => client.get('/api/auth/get-session', bearer))
    assert.equal(status, 200)
    live.observe(body !== null, `whether a session of ${email} is live`)
    if (body === null) sessions.delete(token)
    else assert.equal(body.user.email, email)
  }
}

/** Asserts that one of the possible passwords is correct, and stores it as the expected one. */
async function verifyPassword(client: Client, account: Account): Promise<void> {
  const { email, passwords } = account
  for (const password of passwords.candidates) {
    const answer = await whenServed(() => client.post('/api/auth/sign-in/email', { email, password }))
    if (answer.status === 401) continue
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    passwords.observe(password, `the password of ${email}`)
    return addSession(account, answer)
  }
  assert.fail(`no acknowledged password of ${email} is right`)
}
