import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { findSessionOf, insertTestClientSession, insertTestGrants } from '../../../../test/support/client-sessions.ts'
import { afterTransactions, beforeTransactions } from '../../../../test/support/concurrently.ts'
import { failWrites } from '../../../../test/support/fail-writes.ts'
import { holdTransaction } from '../../../../test/support/hold-transaction.ts'
import { insertTestInvitations } from '../../../../test/support/many-invitations.ts'
import { insertMembers } from '../../../../test/support/many-members.ts'
import { withNumbers } from '../../../../test/support/numbers.ts'
import { insertTestClient } from '../../../../test/support/oauth-clients.ts'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { until } from '../../../../test/support/until.ts'
import {
  administratorWithOrganization,
  invite,
  joinOrganization,
  member,
  sessionOf,
  signedIn,
  signUp,
} from '../../../../test/support/users.ts'

const ORGANIZATION = '/api/auth/organization'

onEachDatabase('delete organization', (service, engine) => {
  /** The last two audit events of an organization. */
  const eventsOf = async (organizationId: string) => {
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select(['action', 'details'])
      .where('organizationId', '=', organizationId)
      .orderBy('id', 'desc')
      .limit(2)
      .execute()
    return events.map(({ action, details }) => ({ action, details: JSON.parse(details) }))
  }

  test('delete organization concurrent with set-active, accept, leave and update causes no server error', async () => {
    for (let round = 0; round < 10; round += 1) {
      const founder = await administratorWithOrganization(service())
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

  test('delete organization locks at most 500 sessions in its transaction, however many there are', async (t) => {
    const founder = await administratorWithOrganization(service())
    const { id: organizationId } = founder.organization
    await insertSessions(service(), founder.email, organizationId, 1_250)
    const statements = await statementsOf(t, service(), async () => {
      const deleted = await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })
      assert.deepEqual([deleted.status, deleted.body], [200, organizationId])
    })
    const [inDeletion] = statements.filter(({ sql }) =>
      /^select "tokenHash" from "sessions" where "id" in .* union /.test(sql),
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
    assert.deepEqual(
      (await eventsOf(organizationId)).map(({ action }) => action),
      ['organization.deleted', 'organization.deletion-started'],
    )
  })

  test('delete organization deletes many members and invitations in batches of 500, and counts all of them', async (t) => {
    const founder = await administratorWithOrganization(service())
    const { id: organizationId, slug } = founder.organization
    await insertMembers(service(), organizationId, 501)
    await insertTestInvitations(service(), organizationId, 501)
    const statements = await statementsOf(t, service(), async () => {
      const deleted = await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })
      assert.deepEqual([deleted.status, deleted.body], [200, organizationId])
    })
    const order = statements.map(({ sql }) => sql)
    const locking = order.findIndex((sql) => /^select "tokenHash" from "sessions" .* "oauthGrants"/.test(sql))
    const deleting = order.findIndex((sql) => sql.startsWith('delete from "members"'))
    assert.ok(locking !== -1 && locking < deleting, 'a trigger on members reaches the sessions')
    const countOf = (table: string) => statements.filter(({ sql }) => sql.includes(`delete from "${table}"`)).length
    assert.equal(countOf('members'), 2)
    assert.equal(countOf('invitations'), 3, 'the last one finds no invitation')
    const details = { slug, memberCount: 502, invitationCount: 501, apiKeyCount: 0, oauthClientCount: 0 }
    assert.deepEqual(await eventsOf(organizationId), [
      { action: 'organization.deleted', details },
      { action: 'organization.deletion-started', details },
    ])
  })

  test('delete organization tells its owners by email, and only the deleter the network and the device', async () => {
    const founder = await administratorWithOrganization(service())
    const [deleter, partner] = [await member(service(), founder, 'owner'), await member(service(), founder, 'owner')]
    const colleague = await member(service(), founder, 'admin')
    const { id: organizationId } = founder.organization
    assert.equal((await deleter.client.post(`${ORGANIZATION}/delete`, { organizationId })).status, 200)
    const textsTo = async ({ email }: { email: string }) =>
      (await service().emails(email))
        .filter(({ subject }) => subject === 'The organization Example Works was deleted')
        .map(({ text }) => text.replaceAll('\n', ' '))
    assert.deepEqual(await textsTo(colleague), [])
    for (const user of [deleter, partner]) {
      const [text = '', ...others] = await textsTo(user)
      assert.match(text, /Hilda Hire deleted Example Works with its memberships/)
      assert.equal(text.includes('from the network address'), user === deleter)
      assert.deepEqual(others, [])
    }
  })

  test('delete organization tells the 100 owners with the oldest membership, and no banned one', async () => {
    const founder = await administratorWithOrganization(service())
    const { id: organizationId } = founder.organization
    const { database } = service().context
    await insertMembers(service(), organizationId, 101)
    await database.updateTable('members').set({ role: 'owner' }).where('organizationId', '=', organizationId).execute()
    await database.updateTable('users').set({ banned: 1 }).where('id', '=', 'usr_1').execute()
    assert.equal((await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })).status, 200)
    const emails = await database
      .selectFrom('outbox')
      .select('recipient')
      .where('kind', '=', 'organization deleted')
      .where('recipient', 'like', 'person-%')
      .execute()
    const told = emails.map(({ recipient }) => recipient)
    const expected = Array.from({ length: 100 }, (_, index) => `person-${index + 2}@example.com`)
    assert.deepEqual(told.toSorted(), expected.toSorted())
  })

  test('delete organization that is interrupted leaves the owners, and each can repeat it', async () => {
    const founder = await administratorWithOrganization(service())
    const { id: organizationId } = founder.organization
    const partner = await member(service(), founder, 'owner')
    await member(service(), founder)
    await insertTestInvitations(service(), organizationId, 501)
    const repair = await failWrites(service(), 'invitations', ['delete'])
    const { status } = await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })
    await repair()
    assert.equal(status, 500)
    const { body } = await founder.client.get(`${ORGANIZATION}/list-members?organizationId=${organizationId}`)
    assert.deepEqual(
      body.members.map(({ userId, role }: { userId: string; role: string }) => [userId, role]),
      [
        [founder.id, 'owner'],
        [partner.id, 'owner'],
      ],
    )
    assert.equal((await partner.client.post(`${ORGANIZATION}/delete`, { organizationId })).status, 200)
    assert.deepEqual((await eventsOf(organizationId))[0]?.action, 'organization.deleted')
  })

  test('Concurrent delete organization calls of two owners delete the organization once', async () => {
    const founder = await administratorWithOrganization(service())
    const { id: organizationId } = founder.organization
    const partner = await member(service(), founder, 'owner')
    await insertMembers(service(), organizationId, 501)
    const answers = await Promise.all(
      [founder, partner].map(({ client }) => client.post(`${ORGANIZATION}/delete`, { organizationId })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404])
    assert.deepEqual((await eventsOf(organizationId))[0]?.action, 'organization.deleted')
  })

  test('delete organization deletes no more members after its caller is no owner any more', async () => {
    const founder = await administratorWithOrganization(service())
    const { id: organizationId } = founder.organization
    const partner = await member(service(), founder, 'owner')
    const { members } = (await partner.client.get(`${ORGANIZATION}/list-members?organizationId=${organizationId}`)).body
    const { id: memberId } = members.find(({ userId }: { userId: string }) => userId === founder.id)
    await insertMembers(service(), organizationId, 501)
    const demote = { memberId, role: 'admin', organizationId }
    const refused = await afterTransactions(
      service(),
      1,
      async () => assert.equal((await partner.client.post(`${ORGANIZATION}/update-member-role`, demote)).status, 200),
      () => founder.client.post(`${ORGANIZATION}/delete`, { organizationId }),
    )
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])
    const { body } = await partner.client.get(`${ORGANIZATION}/list-members?limit=1&organizationId=${organizationId}`)
    assert.equal(body.total, 503)
  })

  test('delete organization that is interrupted leaves no deleted member with it as active organization', async () => {
    const founder = await administratorWithOrganization(service())
    const { id: organizationId } = founder.organization
    const hire = await member(service(), founder)
    await insertTestInvitations(service(), organizationId, 501)
    const repair = await failWrites(service(), 'invitations', ['delete'])
    const setActive = async () =>
      assert.equal((await hire.client.post(`${ORGANIZATION}/set-active`, { organizationId })).status, 200)
    // The first two are the event, and the sessions in which the organization is active.
    const interrupted = await afterTransactions(service(), 2, setActive, () =>
      founder.client.post(`${ORGANIZATION}/delete`, { organizationId }),
    )
    await repair()
    assert.equal(interrupted.status, 500)
    assert.equal((await hire.client.get('/api/auth/get-session')).body.session.activeOrganizationId, null)
    assert.deepEqual((await hire.client.get(`${ORGANIZATION}/list`)).body, [])
  })

  test('delete organization succeeds while a member sets the organization active before each of its transactions', async () => {
    const founder = await administratorWithOrganization(service())
    const { id: organizationId } = founder.organization
    const hire = await member(service(), founder)
    await insertTestInvitations(service(), organizationId, 501)
    const statuses: number[] = []
    const setActive = async () => {
      if (statuses.length === 20) return
      statuses.push((await hire.client.post(`${ORGANIZATION}/set-active`, { organizationId })).status)
    }
    const deleted = await beforeTransactions(service(), `${ORGANIZATION}/delete`, setActive, () =>
      founder.client.post(`${ORGANIZATION}/delete`, { organizationId }),
    )
    assert.equal(deleted.status, 200)
    assert.equal(statuses[0], 200)
    assert.ok(statuses.includes(404), `after ${statuses.length} transactions, the caller is still a member`)
    assert.equal((await hire.client.get('/api/auth/get-session')).body.session.activeOrganizationId, null)
  })

  test('delete organization that is interrupted leaves no waiting email of a deleted invitation', async () => {
    const founder = await administratorWithOrganization(service())
    const { id: organizationId } = founder.organization
    const { email } = await invite(service(), founder)
    await insertTestInvitations(service(), organizationId, 501)
    const repair = await failWrites(service(), 'organizations', ['delete'])
    const interrupted = await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })
    await repair()
    assert.equal(interrupted.status, 500)
    const { body } = await founder.client.get(`${ORGANIZATION}/list-invitations?organizationId=${organizationId}`)
    assert.equal(body.total, 0)
    assert.deepEqual(await service().emails(email), [])
  })

  test('delete organization that is interrupted leaves no waiting email of an invitation by a deleted member', async () => {
    const founder = await administratorWithOrganization(service())
    const { id: organizationId } = founder.organization
    const { email } = await invite(service(), await member(service(), founder, 'admin'))
    const own = await invite(service(), founder)
    await insertTestInvitations(service(), organizationId, 501)
    const repair = await failWrites(service(), 'invitations', ['delete'])
    const interrupted = await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })
    await repair()
    assert.equal(interrupted.status, 500)
    assert.deepEqual(await service().emails(email), [])
    assert.equal((await service().emails(own.email)).length, 1)
  })

  test('delete organization leaves another organization active in the sessions of its members', async () => {
    const [founder, other] = [
      await administratorWithOrganization(service()),
      await administratorWithOrganization(service()),
    ]
    const { id: organizationId } = founder.organization
    const colleague = await member(service(), founder)
    await insertMembers(service(), organizationId, 501)
    await joinOrganization(service(), colleague, other)
    const elsewhere = await sessionOf(service(), colleague, other.organization.id)
    assert.equal((await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })).status, 200)
    const { session } = (await elsewhere.client.get('/api/auth/get-session')).body
    assert.equal(session.activeOrganizationId, other.organization.id)
  })

  // SQLite has no row locks.
  if (engine === 'postgres') {
    test('delete organization holds up no other session while one is locked', async (t) => {
      const { database: settings } = service().config
      assert.ok(settings.engine === 'postgres')
      const founder = await administratorWithOrganization(service())
      const { id: organizationId } = founder.organization
      const colleague = await member(service(), founder)
      await insertTestInvitations(service(), organizationId, 501)
      const { client } = await sessionOf(service(), colleague, organizationId)
      const { id } = (await client.get('/api/auth/get-session')).body.session
      const commit = await holdTransaction(t, settings.url, `select from sessions where id = '${id}' for update`)
      const deleting = founder.client.post(`${ORGANIZATION}/delete`, { organizationId })
      const isCleared = async () =>
        (await founder.client.get('/api/auth/get-session')).body.session.activeOrganizationId === null
      await until(isCleared, 'the organization is no longer active in the session of the founder')
      await commit()
      assert.equal((await deleting).status, 200)
      assert.equal((await client.get('/api/auth/get-session')).body.session.activeOrganizationId, null)
    })
  }

  test('delete organization deletes the sessions at its app in batches of 100', async (t) => {
    const founder = await administratorWithOrganization(service())
    const { id: organizationId } = founder.organization
    const { id: clientId } = await insertTestClient(service(), {}, { organizationId })
    await insertClientSessions(service(), founder.email, clientId, 101)
    const statements = await statementsOf(t, service(), async () => {
      assert.equal((await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })).status, 200)
    })
    const deletions = statements.filter(({ sql }) => sql.includes('delete from "clientSessions"'))
    assert.equal(deletions.length, 3, 'the last one finds no session')
  })

  test('delete organization deletes members in batches when apps have more than 1,000 grants with it', async () => {
    const { database } = service().context
    for (const [grantCount, expected] of [
      [1_000, ['organization.deleted']],
      [1_001, ['organization.deletion-started', 'organization.deleted']],
    ] as const) {
      const founder = await administratorWithOrganization(service())
      const { id: organizationId } = founder.organization
      const { id: sessionId, userId } = await findSessionOf(service(), await member(service(), founder))
      const client = await insertTestClient(service())
      await insertTestClientSession(service(), client, { sessionId, userId }, organizationId)
      await insertTestGrants(service(), { clientId: client.id }, grantCount - 1)
      assert.equal((await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })).status, 200)
      const events = database.selectFrom('auditEvents').select('action').where('organizationId', '=', organizationId)
      const actions = (await events.where('action', 'like', 'organization.delet%').orderBy('id').execute()).map(
        ({ action }) => action,
      )
      assert.deepEqual(actions, expected)
      const sids = database.selectFrom('clientSessions').select('sid').where('clientId', '=', client.id)
      assert.deepEqual(await sids.execute(), [])
    }
  })

  test('delete organization needs an owner, deletes all its rows and keeps the users', async () => {
    const founder = await administratorWithOrganization(service())
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

/** Sessions at a client, of one session of a user. */
async function insertClientSessions({ context }: Service, email: string, clientId: string, count: number) {
  await sql`insert into "clientSessions" (sid, "sessionId", "clientId", "userId", "createdAt", "lastUsedAt")
    ${withNumbers(1, count)} select ${clientId} || n, session.id, ${clientId}, session."userId", 1, 1 from numbers,
    (select sessions.id, "userId" from sessions inner join users on users.id = "userId" where email = ${email} limit 1)
    as session`.execute(context.database)
}

/** Sessions of one user, in which an organization is active. */
async function insertSessions(
  { context }: Service,
  email: string,
  organizationId: string,
  count: number,
): Promise<void> {
  await sql`insert into sessions (id, "userId", "tokenHash", "createdAt", "updatedAt", "expiresAt", "authenticatedAt",
      "rememberMe", "activeOrganizationId") ${withNumbers(1, count)}
    select 'ses_many' || n, users.id, 'hash' || n, 1, 1, 9999999999999, 1, 1, ${organizationId}
    from numbers, users where email = ${email}`.execute(context.database)
}
