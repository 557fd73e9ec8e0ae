import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { invite, member, owner, signedIn, signUp } from '../../../../test/support/users.ts'

const ORGANIZATION = '/api/auth/organization'

onEachDatabase('delete organization', (service) => {
  test('delete organization concurrent with set-active, accept, leave and update causes no server error', async () => {
    for (let round = 0; round < 10; round += 1) {
      const founder = await owner(service())
      const colleague = await member(service(), founder)
      const invited = await signUp(service(), { ...(await invite(service(), founder)) })
      const organizationId = founder.organization.id
      const [invitation] = (await invited.client.get(`${ORGANIZATION}/list-user-invitations`)).body
      const another = await signedIn(service(), colleague.email)
      const answers = await Promise.all([
        another.client.post(`${ORGANIZATION}/set-active`, { organizationId }),
        founder.client.post(`${ORGANIZATION}/update`, { data: { name: 'Other' }, organizationId }),
        invited.client.post(`${ORGANIZATION}/accept-invitation`, { invitationId: invitation.id }),
        founder.client.post(`${ORGANIZATION}/delete`, { organizationId }),
        colleague.client.post(`${ORGANIZATION}/leave`, { organizationId }),
        another.client.post(`${ORGANIZATION}/set-active`, { organizationId }),
      ])
      for (const { status, body } of answers) assert.ok([200, 404].includes(status), JSON.stringify(body))
      assert.deepEqual((await another.client.get('/api/auth/get-session')).body.session.activeOrganizationId, null)
    }
  })

  test('delete organization locks 500 sessions at most in its transaction, of any number', async (t) => {
    const founder = await owner(service())
    const { id: organizationId } = founder.organization
    await insertSessions(service(), founder.email, organizationId, 1_250)
    const statements = await statementsOf(t, service(), async () => {
      const deleted = await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })
      assert.deepEqual([deleted.status, deleted.body], [200, organizationId])
    })
    const [inDeletion] = statements.filter(({ sql }) =>
      /^select "id" from "sessions" where "id" in .* union /.test(sql),
    )
    assert.ok(inDeletion && inDeletion.rowCount <= 500, `the deletion locks ${inDeletion?.rowCount} sessions`)
    const { database } = service().context
    const active = await database
      .selectFrom('sessions')
      .select('id')
      .where('activeOrganizationId', 'is not', null)
      .where('id', 'like', 'ses_many%')
      .execute()
    assert.deepEqual(active, [])
    const events = await database
      .selectFrom('auditEvents')
      .select('action')
      .where('organizationId', '=', organizationId)
      .orderBy('id', 'desc')
      .limit(2)
      .execute()
    assert.deepEqual(
      events.map(({ action }) => action),
      ['organization.deleted', 'session.updated'],
    )
  })

  test('delete organization needs an owner, deletes all its rows and keeps the users', async () => {
    const founder = await owner(service())
    const { id: organizationId, slug } = founder.organization
    const admin = await member(service(), founder, 'admin')
    const invited = await invite(service(), founder)
    const { key } = (await founder.client.post('/api/auth/api-key/create', { name: 'key', organizationId })).body
    const refused = await admin.client.post(`${ORGANIZATION}/delete`, { organizationId })
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])

    const deleted = await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })
    assert.deepEqual([deleted.status, deleted.body], [200, organizationId])
    assert.match(deleted.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal((await admin.client.get('/api/auth/get-session')).body.session.activeOrganizationId, null)
    assert.equal((await admin.client.get(`/api/token?org=${slug}`)).status, 404)
    const byKey = await service()
      .client()
      .get(`/api/token?org=${slug}`, { headers: { 'x-api-key': key } })
    assert.deepEqual([byKey.status, byKey.body.code], [401, 'INVALID_API_KEY'])
    const opened = await service().client().get(invited.linkPath)
    assert.equal(opened.headers.get('location'), '/invitation?error=INVITATION_NOT_FOUND')
    assert.equal((await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })).status, 404)
  })
})

/** Sessions of one user, in which an organization is active. */
async function insertSessions(
  { context }: Service,
  email: string,
  organizationId: string,
  count: number,
): Promise<void> {
  const numbers = sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})`
  await sql`insert into sessions (id, "userId", "tokenHash", "createdAt", "updatedAt", "expiresAt", "authenticatedAt",
      "rememberMe", "activeOrganizationId") ${numbers}
    select 'ses_many' || n, users.id, 'hash' || n, 1, 1, 9999999999999, 1, 1, ${organizationId}
    from numbers, users where email = ${email}`.execute(context.database)
}
