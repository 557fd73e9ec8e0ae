import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { readChainEnds } from '../../server/core/audit/chain-ends-store.ts'
import { type AuditFilter, listEvents } from '../../server/core/audit/filtered-events-store.ts'
import { listLinked, listUnlinked } from '../../server/core/audit/store.ts'
import { selectGrantsOfClient, selectGrantsOfMembers } from '../../server/core/client-sessions/grant-store.ts'
import { deleteRowsBeyondLimits } from '../../server/core/client-sessions/row-limits.ts'
import {
  deleteClientSessions,
  deleteSomeOfDisabledClient,
  listDisabledClientsWithSessions,
  lockClientSessionForUpdate,
  selectSessionsAtClient,
} from '../../server/core/client-sessions/store.ts'
import { listOpenInvitations } from '../../server/core/invitations/details-store.ts'
import { listUnsentInvitationIdsOf } from '../../server/core/invitations/inviter-store.ts'
import { selectMatchingInvitations } from '../../server/core/invitations/matching-invitations.ts'
import { deleteSomeInvitations, readInvitationPage } from '../../server/core/invitations/store.ts'
import { deleteSomeConsents, selectConsentsToClient } from '../../server/core/oauth-consents/store.ts'
import { clearSomeActiveOrganizations, selectWithActive } from '../../server/core/sessions/active-organization.ts'
import { revokeTokens } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import { deleteExpiredSetups } from '../../server/core/two-step/store.ts'
import { countAdmins } from '../../server/core/users/store.ts'
import { listAppRows } from '../../server/features/account/apps/store.ts'
import { deleteOldestReplaced } from '../../server/features/openid/adapters/replaced-tokens.ts'
import { listClientsWithDueLogOuts } from '../../server/features/openid/log-outs/store.ts'
import { USER_FILTER_COLUMNS } from '../../server/features/staff/list-users/columns.ts'
import { matchingUsers } from '../../server/features/staff/list-users/matching-users.ts'
import type { UserCondition } from '../../server/features/staff/list-users/parse-query.ts'
import { listOrganizations } from '../../server/features/staff/organizations/list-organizations.ts'
import { hasMoreThan } from '../../server/platform/database/has-more-than.ts'
import type { OutboxRow, Tables } from '../../server/platform/database/tables.ts'
import { conditionSql } from '../../server/platform/filter/condition-sql.ts'
import { readRecipientWaits, readSubjectWait } from '../../server/platform/mail/email-limits.ts'
import { findSessionOf, insertTestClientSessions } from '../support/client-sessions.ts'
import { explain } from '../support/explaining.ts'
import { insertTestInvitations } from '../support/many-invitations.ts'
import { insertTestClient } from '../support/oauth-clients.ts'
import { onEachDatabase, type Service, startService } from '../support/service.ts'
import { administratorWithOrganization } from '../support/users.ts'

const PAGE = { limit: 5, offset: 0 }
const SORT = /TEMP B-TREE FOR ORDER BY|Sort Key/

type Use = (database: Kysely<Tables>, service: Service) => Promise<unknown>

/**
 * Queries, and the indexes that each must use. Another plan would read or sort a table that grows with the users. The
 * rows of one user have a limit and may be sorted. Their queries are compiled once.
 */
const QUERIES: Record<string, { indexes: string[]; use: Use; isOfUser?: true }> = {
  'The next events to link are read in order': {
    indexes: ['auditEvents_unchained'],
    use: (database, { context }) => listUnlinked(database, context.now(), 100, 0),
  },
  'The first events of the chain are read in order': {
    indexes: ['auditEvents_sequence'],
    use: (database) => listLinked(database, undefined, 100),
  },
  'The next events of the chain are read in order': {
    indexes: ['auditEvents_sequence'],
    use: (database) => listLinked(database, 7, 100),
  },
  'Tokens are revoked by the user': {
    indexes: ['singleUseTokens_userId'],
    use: (database) => revokeTokens(database, 'usr_x', ['reset password']),
  },
  'Setups of a second step that were not finished are purged by age': {
    indexes: ['secondSteps_unfinished'],
    use: (database, { context }) => deleteExpiredSetups(database, context.now(), 25),
  },
  'Administrators are found by the role': {
    indexes: ['users_role'],
    use: (database, { context }) => countAdmins(database, context.now()),
  },
  'Clients with log-outs are found one after the other': {
    indexes: ['oauthLogouts_due'],
    use: (database, { context }) => listClientsWithDueLogOuts(database, context.now()),
  },
  'The rows of a user that a new grant displaces are found by the user and the session at the client': {
    indexes: ['oauthGrants_sid', 'oauthGrants_userId_organizationId', 'clientSessions_userId'],
    isOfUser: true,
    use: (database, { context }) =>
      deleteRowsBeyondLimits(database, { id: 'gra_x', sid: 'x', userId: 'usr_x', expiresAt: 0 }, context.now()),
  },
  'Replaced refresh tokens are found by the grant and the user': {
    indexes: ['oauthArtifacts_grantId', 'oauthGrants_userId_organizationId'],
    isOfUser: true,
    use: (database) => deleteOldestReplaced(database, { grantId: 'gra_x', userId: 'usr_x' }),
  },
  'The grants of a client and of the members of an organization are counted to a maximum': {
    indexes: ['clientSessions_clientId', 'oauthGrants_sid', 'oauthGrants_userId_organizationId'],
    async use(database) {
      await hasMoreThan(selectGrantsOfClient(database, 'cli_x'), 1_000)
      await hasMoreThan(selectGrantsOfMembers(database, 'org_x'), 1_000)
    },
  },
  'Users with and without a passkey are found along the index of passkeys': {
    indexes: ['passkeys_userId'],
    async use(slowReads, { context }) {
      for (const isOwner of [0, 1]) {
        const condition: UserCondition = { column: 'hasPasskey', operator: 'eq', values: [isOwner] }
        const users = await matchingUsers({ ...context, slowReads }, [condition])
        await sql`select count(*) from ${users}`.execute(slowReads)
      }
    },
  },
  'Organizations are listed by name': {
    indexes: ['organizations_name'],
    use: (slowReads, { context }) =>
      listOrganizations({ ...context, slowReads }, { conditions: [], sortBy: 'name', direction: 'asc', ...PAGE }),
  },
  'Organizations are listed by age': {
    indexes: ['organizations_createdAt'],
    use: (slowReads, { context }) =>
      listOrganizations({ ...context, slowReads }, { conditions: [], sortBy: 'createdAt', direction: 'desc', ...PAGE }),
  },
  'The unsent emails of the invitations of an inviter are found among the waiting and the failed emails': {
    indexes: ['outbox_unsent_createdAt', 'outbox_failedAt'],
    use: (database) => listUnsentInvitationIdsOf(database, ['usr_x']),
  },
  'Pending invitations are listed by age': {
    indexes: ['invitations_pending'],
    use: (database, { context }) =>
      readInvitationPage(selectMatchingInvitations(database, { status: 'pending' }, context.now()), PAGE),
  },
}

onEachDatabase('Query plans', (service) => {
  for (const [name, { indexes, use, isOfUser = false }] of Object.entries(QUERIES)) {
    test(name, async () => {
      const plan = await explain(service(), (database) => use(database, service()), { isCompiledOnce: isOfUser })
      for (const index of indexes) assert.ok(plan.includes(index), `${index} is not used:\n${plan}`)
      if (!isOfUser) assert.doesNotMatch(plan, SORT)
      assert.doesNotMatch(plan, /Seq Scan/)
    })
  }
})

onEachDatabase('Query plans of ids', (service) => {
  test('The ends of the audit chain need two entries of the index of linked events', async () => {
    const plan = await explain(service(), readChainEnds)
    const ofEvents = plan.split('\n').filter((line) => line.includes('auditEvents'))
    assert.equal(ofEvents.length, 2, plan)
    for (const line of ofEvents)
      assert.match(line, /(USING COVERING INDEX|Index Only Scan (Backward )?using) "?auditEvents_sequence/)
  })

  test('Users are found by the start of one of our ids in an index', async () => {
    const { database } = service().context
    const test = conditionSql(database, USER_FILTER_COLUMNS.id, { operator: 'starts_with', values: ['usr_06h0'] })
    const plan = await explain(service(), (database) => database.selectFrom('users').select('id').where(test).execute())
    assert.match(plan, /users_codePoints|sqlite_autoindex_users_1 \(id>\? AND id<\?\)/)
  })
})

test('SQLite finds the invitations of an email address by its index, although another index has their order', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const plan = await explain(service, (database) => listOpenInvitations(database, 0, 'ada@example.com'))
  assert.match(plan, /invitations_email/)
})

test('Emails of a recipient, and about a user, are counted without reading the emails of the last hour', async (t) => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const service = await startService({ engine })
    t.after(() => service.stop())
    const { database, now } = service.context
    const email = { kind: 'reset password', priority: 0, attempts: 0, encryptedEmail: '' }
    const emails = Array.from({ length: 1_000 }, (_, index) => ({
      ...email,
      id: `eml_${index}`,
      recipient: `ada-${index}@example.com`,
      subjectId: `inv_${index}`,
      createdAt: now(),
      nextAttemptAt: now(),
    }))
    await database
      .insertInto('outbox')
      .values(emails as OutboxRow[])
      .execute()
    await sql`analyze`.execute(database)
    const uses: [index: string, use: Use][] = [
      ['outbox_subjectId', (database) => readSubjectWait(database, now(), 'change email', 'usr_x')],
      [
        'outbox_recipient_kind_createdAt',
        (database) => readRecipientWaits(database, now(), 'reset password', ['ada-7@example.com']),
      ],
    ]
    for (const [index, use] of uses) {
      const plan = await explain(service, (database) => use(database, service), { isFilled: true })
      assert.ok(plan.includes(index), plan)
    }
  }
})

test('The apps of a user are found without reading every client', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const plan = await explain(service, (database) => listAppRows(database, 'usr_x'))
  assert.match(plan, /SEARCH oauthClients USING INDEX \S+ \(id=\?\)/)
})

test('SQLite finds disabled clients with sessions by the index of the sessions', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const plan = await explain(service, listDisabledClientsWithSessions)
  assert.match(plan, /SEARCH clientSessions USING .*clientSessions_clientId \(clientId/)
})

test('SQLite finds the events of two columns by the index of the column with fewer events for each value', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const planOf = (filter: AuditFilter) => explain(service, (database) => listEvents(database, filter, PAGE))
  assert.match(await planOf({ actorId: 'usr_x', action: 'user.updated' }), /auditEvents_actorId_createdAt/)
  assert.match(await planOf({ actorId: 'usr_x', subjectId: 'usr_y' }), /auditEvents_subjectId_createdAt/)
  assert.match(await planOf({ impersonatedBy: 'usr_x', action: 'user.updated' }), /auditEvents_impersonatedBy/)
  assert.match(await planOf({ actorId: 'usr_x', organizationId: 'org_x' }), /auditEvents_organizationId_createdAt/)
})

test('SQLite finds a session at a client by the session or the user, because a client has more sessions', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const [clientId, sessionId, userId] = ['cli_x', 'ses_x', 'usr_x']
  const uses: [index: string, use: Use][] = [
    ['clientSessions_sessionId', (database) => lockClientSessionForUpdate(database, { clientId, sessionId })],
    ['clientSessions_sessionId', (database) => deleteClientSessions(database, { clientId, sessionId })],
    ['clientSessions_userId', (database) => deleteClientSessions(database, { clientId, userId })],
  ]
  for (const [index, use] of uses) {
    const plan = await explain(service, (database) => use(database, service))
    assert.ok(plan.includes(index), plan)
  }
})

test('SQLite needs no rows of an actor to see that none of the events has an action', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const columns = await sql<{
    name: string
  }>`select name from pragma_index_info('auditEvents_actorId_createdAt')`.execute(service.context.database)
  assert.deepEqual(
    columns.rows.map(({ name }) => name),
    ['actorId', 'createdAt', 'id', 'action'],
  )
})

test('PostgreSQL finds the rows of a client by the index, although it reads the table for a limit with most of them', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const { database } = service.context
  const boss = await administratorWithOrganization(service)
  const { id: sessionId, userId } = await findSessionOf(service, boss)
  const { id: clientId } = await insertTestClient(service)
  const sessions = Array(2_000).fill({ sessionId, userId, clientId, organizationId: null })
  for (let round = 0; round < 5; round += 1) await insertTestClientSessions(service, sessions)
  await sql`insert into users (id, name, email, "emailVerified", role, "createdAt", "updatedAt")
    select 'usr_' || n, 'Pat', n || '@example.com', 1, 'user', 1, 1 from generate_series(1, 5000) as n`.execute(
    database,
  )
  await sql`insert into "oauthConsents" (id, "userId", "clientId", scopes, "createdAt", "updatedAt")
    select 'con_' || n, 'usr_' || n, ${sql.lit(clientId)}, 'openid', 1, 1 from generate_series(1, 5000) as n`.execute(
    database,
  )
  await sql`analyze`.execute(database)
  const uses: [index: string, use: Use][] = [
    ['clientSessions_clientId', (database) => hasMoreThan(selectSessionsAtClient(database, clientId), 100)],
    ['clientSessions_clientId', (database) => deleteSomeOfDisabledClient(database, clientId, 100)],
    ['clientSessions_clientId', (database) => listDisabledClientsWithSessions(database)],
    ['oauthConsents_clientId', (database) => hasMoreThan(selectConsentsToClient(database, clientId), 100)],
    ['oauthConsents_clientId', (database) => deleteSomeConsents(database, clientId, 100)],
  ]
  for (const [index, use] of uses) {
    const plan = await explain(service, (database) => use(database, service), { isFilled: true })
    assert.ok(plan.includes(index), plan)
    assert.doesNotMatch(plan, SORT)
  }
})

test('PostgreSQL finds the sessions of an active organization by the index, although it is active in most of them', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const { database } = service.context
  const boss = await administratorWithOrganization(service)
  const { userId } = await findSessionOf(service, boss)
  const { id: organizationId } = boss.organization
  await sql`insert into sessions (id, "userId", "tokenHash", "createdAt", "updatedAt", "expiresAt", "authenticatedAt",
      "rememberMe", "activeOrganizationId")
    select 'ses_' || n, ${userId}, 'hash' || n, 1, 1, 1, 1, 1, ${organizationId} from generate_series(1, 5000) as n`.execute(
    database,
  )
  await sql`analyze`.execute(database)
  const uses: Use[] = [
    (database) => hasMoreThan(selectWithActive(database, organizationId), 500),
    (database) => clearSomeActiveOrganizations(database, organizationId, 500),
  ]
  for (const use of uses) {
    const plan = await explain(service, (database) => use(database, service), { isFilled: true })
    assert.ok(plan.includes('sessions_activeOrganizationId'), plan)
    assert.doesNotMatch(plan, SORT)
  }
})

test('PostgreSQL finds invitations that have ended by the index of the organization, although it has most of them', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const { organization } = await administratorWithOrganization(service)
  await insertTestInvitations(service, organization.id, 5_000)
  await sql`analyze`.execute(service.context.database)
  for (const endedBy of [undefined, 1]) {
    const use = (database: Kysely<Tables>) => deleteSomeInvitations(database, organization.id, 500, endedBy)
    const plan = await explain(service, use, { isFilled: true })
    assert.ok(plan.includes('invitations_organizationId'), plan)
    assert.doesNotMatch(plan, SORT)
  }
})

test('PostgreSQL finds rows that wait in no index with the rows that do not wait', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const { rows } = await sql<{ name: string; condition: string }>`
    select indexrelid::regclass::text as name, pg_get_expr(indpred, indrelid) as condition from pg_index
    join pg_attribute on attrelid = indrelid and attnum = indkey[0] where attname in ('sequence', 'settledAt')
    order by name`.execute(service.context.database)
  assert.deepEqual(rows, [
    { name: '"auditEvents_sequence_linked"', condition: '(sequence IS NOT NULL)' },
    { name: '"oauthLogouts_settledAt_settled"', condition: '("settledAt" IS NOT NULL)' },
  ])
})
