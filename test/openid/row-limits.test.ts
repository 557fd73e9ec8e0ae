import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newToken } from '../../server/platform/crypto/tokens.ts'
import { chunksOf } from '../../server/platform/database/chunks.ts'
import type { OAuthArtifactRow, OAuthGrantRow } from '../../server/platform/database/tables.ts'
import { findSessionOf, insertTestClientSessions } from '../support/client-sessions.ts'
import { authorizationRequest, codeIn, createTestApp, payloadOf, signInTo, type TestApp } from '../support/openid.ts'
import { refusalOf } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { exchange, introspect, refresh } from '../support/token-requests.ts'
import { newMember, type TestMember } from '../support/users.ts'

const GRANTS_MAXIMUM = 100
const SHORT_GRANTS_MAXIMUM = 500
const OF_USER_MAXIMUM = 5_000
const REPLACED_MAXIMUM = 200
const ARTIFACTS_OF_USER_MAXIMUM = 20_000
const REPLACED_BEYOND_MAXIMUM = 5
/** The most rows that one change deletes. An earlier version allowed more rows than the limits. */
const DELETED_MAXIMUM = 1_000

onEachDatabase('The rows of a session at its clients', (service) => {
  const database = () => service().context.database
  async function open(): Promise<{ user: TestMember; app: TestApp }> {
    return { user: await newMember(service()), app: await createTestApp(service()) }
  }
  const grantsOf = ({ id }: TestMember) => database().selectFrom('oauthGrants').selectAll().where('userId', '=', id)
  const artifactsOf = ({ id }: OAuthGrantRow) =>
    database().selectFrom('oauthArtifacts').selectAll().where('grantId', '=', id).orderBy('createdAt').orderBy('idHash')

  /** Copies of a row. Each copy is a millisecond older than the copy before it. */
  const olderCopies = <Row extends { createdAt: number }>(row: Row, count: number, change: () => Partial<Row>): Row[] =>
    Array.from({ length: count }, (_, index) => ({ ...row, createdAt: row.createdAt - index - 1, ...change() }))

  const insertGrants = async (rows: OAuthGrantRow[]) => {
    for (const chunk of chunksOf(rows)) await database().insertInto('oauthGrants').values(chunk).execute()
  }
  const insertArtifacts = async (rows: OAuthArtifactRow[]) => {
    for (const chunk of chunksOf(rows)) await database().insertInto('oauthArtifacts').values(chunk).execute()
  }
  const newGrantId = () => ({ id: newToken(service().context) })
  const newSids = (count: number, user: TestMember, { id: clientId }: TestApp, sessionId: string) =>
    insertTestClientSessions(
      service(),
      Array(count).fill({ sessionId, userId: user.id, clientId, organizationId: null }),
    )

  async function authorize({ user, app }: { user: TestMember; app: TestApp }): Promise<void> {
    service().advance(1_000)
    codeIn(await user.client.get((await authorizationRequest(app)).path))
  }

  test('A session at an app has at most 100 grants of sign-ins: the next sign-in deletes the oldest', async () => {
    const { user, app } = await open()
    const { refresh_token = '' } = await signInTo(user, app)
    const first = await grantsOf(user).executeTakeFirstOrThrow()
    await insertGrants(olderCopies(first, GRANTS_MAXIMUM + DELETED_MAXIMUM, newGrantId))
    await authorize({ user, app })
    assert.equal((await grantsOf(user).execute()).length, GRANTS_MAXIMUM + 2, 'some are left for the next one')
    await authorize({ user, app })
    const left = await grantsOf(user).orderBy('createdAt').execute()
    assert.equal(left.length, GRANTS_MAXIMUM)
    assert.equal(left[0]?.createdAt, first.createdAt - GRANTS_MAXIMUM + 3)
    assert.equal((await refresh(service(), app, refresh_token)).status, 200)
    assert.equal((await user.client.post('/api/auth/sign-out')).status, 200)
    assert.deepEqual(await grantsOf(user).execute(), [])
  })

  test('A sign-in stays although a clock that was ahead has dated the others later', async () => {
    const { user, app } = await open()
    await signInTo(user, app)
    const first = await grantsOf(user).executeTakeFirstOrThrow()
    const later = { ...first, createdAt: first.createdAt + 86_400_000 }
    await insertGrants(olderCopies(later, GRANTS_MAXIMUM, newGrantId))
    service().advance(1_000)
    const { refresh_token = '' } = await signInTo(user, app)
    assert.equal((await refresh(service(), app, refresh_token)).status, 200)
  })

  test('A session at an app has at most 500 grants of exchanges, which delete no sign-in of this or another app', async () => {
    const { user, app: other } = await open()
    const busy = await createTestApp(service())
    const { refresh_token = '' } = await signInTo(user, other)
    const tokens = await signInTo(user, busy)
    service().advance(1_000)
    await exchange(service(), busy, tokens.access_token)
    const newest = await grantsOf(user).orderBy('createdAt', 'desc').executeTakeFirstOrThrow()
    await insertGrants(olderCopies(newest, SHORT_GRANTS_MAXIMUM + 50, newGrantId))
    service().advance(1_000)
    const { body } = await exchange(service(), busy, tokens.access_token)
    assert.equal((await introspect(service(), busy, body.access_token)).body.active, true)
    assert.equal((await grantsOf(user).execute()).length, SHORT_GRANTS_MAXIMUM + 2)
    assert.equal((await refresh(service(), other, refresh_token)).status, 200)
    assert.equal((await refresh(service(), busy, tokens.refresh_token ?? '')).status, 200)
  })

  test('A removal from an organization ends a session at an app that has signed in 100 times without it since', async () => {
    const { user, app } = await open()
    await signInTo(user, app)
    const first = await grantsOf(user).executeTakeFirstOrThrow()
    assert.equal(first.organizationId, user.organization.id)
    service().advance(1_000)
    const copy = { ...first, organizationId: null, createdAt: service().context.now() }
    await insertGrants(olderCopies(copy, GRANTS_MAXIMUM + 1, newGrantId))
    service().advance(1_000)
    codeIn(await user.client.get((await authorizationRequest(app, { scope: 'openid' })).path))
    const left = await grantsOf(user).execute()
    assert.equal(left.length, GRANTS_MAXIMUM)
    assert.ok(left.some(({ id }) => id === first.id))
  })

  test('A user has at most 5,000 grants: the sessions at apps with the most lose theirs', async () => {
    const { user, app } = await open()
    const { refresh_token = '' } = await signInTo(user, app)
    const busy = await createTestApp(service())
    const { id: sessionId } = await findSessionOf(service(), user)
    const sids = await newSids(OF_USER_MAXIMUM / GRANTS_MAXIMUM, user, busy, sessionId)
    const grant = await grantsOf(user).where('clientId', '=', busy.id).executeTakeFirstOrThrow()
    const perSid = Array.from({ length: GRANTS_MAXIMUM }, () => sids).flat()
    await insertGrants(
      perSid.map((sid) => ({ ...grant, ...newGrantId(), sid, expiresAt: grant.expiresAt + 86_400_000 })),
    )
    service().advance(1_000)
    await signInTo(user, app)
    assert.equal((await grantsOf(user).execute()).length, OF_USER_MAXIMUM)
    assert.equal((await refresh(service(), app, refresh_token)).status, 200)
  })

  test('A user has at most 5,000 sessions at apps: the next one ends those that were used least recently', async () => {
    const other = await open()
    const { refresh_token = '' } = await signInTo(other.user, other.app)
    const ofOther = database().updateTable('clientSessions').where('userId', '=', other.user.id)
    await ofOther.set({ lastUsedAt: 0 }).execute()
    const { user, app } = await open()
    const silent = await createTestApp(service(), { backchannel_logout_uri: 'https://app.example.com/log-out' })
    const { id: sessionId } = await findSessionOf(service(), user)
    const sids: string[] = []
    while (sids.length < OF_USER_MAXIMUM) sids.push(...(await newSids(500, user, silent, sessionId)))
    const [oldest = ''] = sids
    await database().updateTable('clientSessions').set({ lastUsedAt: 1 }).where('sid', '=', oldest).execute()
    await signInTo(user, app)
    const logOuts = await database().selectFrom('oauthLogouts').select('sid').where('userId', '=', user.id).execute()
    assert.deepEqual(
      logOuts.map(({ sid }) => sid),
      [oldest],
    )
    assert.equal((await refresh(service(), other.app, refresh_token)).status, 200, 'of another user')
  })

  /**
   * A user with replaced refresh tokens at an app. The second refresh from here is a tenth refresh, which deletes rows.
   */
  async function openReplaced(replacedCount: number) {
    const { user, app } = await open()
    const { refresh_token: token = '' } = await signInTo(user, app)
    const grant = await grantsOf(user).executeTakeFirstOrThrow()
    const newest = async () => (await artifactsOf(grant).execute()).at(-1) as OAuthArtifactRow
    const replaced = async () => (await artifactsOf(grant).where('consumedAt', 'is not', null).execute()).length
    const row = await newest()
    const newHash = () => ({ idHash: newToken(service().context), consumedAt: row.createdAt })
    await insertArtifacts(olderCopies(row, replacedCount, newHash))
    const payload = JSON.stringify({ ...JSON.parse(row.payload), rotations: 8 })
    await database().updateTable('oauthArtifacts').set({ payload }).where('idHash', '=', row.idHash).execute()
    const next = async (former: string): Promise<string> => {
      service().advance(1_000)
      return (await refresh(service(), app, former)).body.refresh_token
    }
    return { user, app, token, grant, row, newest, replaced, next }
  }

  test('A grant keeps 200 replaced refresh tokens: each tenth refresh deletes older ones', async () => {
    const { token, newest, replaced, next } = await openReplaced(REPLACED_MAXIMUM + 50)
    const counts: number[] = []
    let current = token
    for (let time = 0; time < 3; time += 1) {
      current = await next(current)
      counts.push(await replaced())
    }
    // The count contains the code of the sign-in, which is consumed, too.
    assert.deepEqual(counts, [REPLACED_MAXIMUM + 52, REPLACED_MAXIMUM, REPLACED_MAXIMUM + 1])
    assert.equal((await newest()).consumedAt, null)
  })

  test('A replaced refresh token that was deleted is refused, and revokes nothing', async () => {
    const { app, token, row, next } = await openReplaced(0)
    const second = await next(token)
    await insertArtifacts(
      olderCopies(row, 1, () => ({})).map((copy) => ({ ...copy, idHash: newToken(service().context) })),
    )
    const later = { createdAt: service().context.now(), consumedAt: service().context.now() }
    const copies = Array.from({ length: REPLACED_MAXIMUM }, () => ({
      ...row,
      ...later,
      idHash: newToken(service().context),
    }))
    await insertArtifacts(copies)
    const third = await next(second)
    service().advance(60_000)
    assert.deepEqual(refusalOf(await refresh(service(), app, token)), [400, 'invalid_grant'])
    assert.equal((await refresh(service(), app, third)).status, 200)
  })

  test('A grant keeps five replaced refresh tokens while its user has more than 20,000 codes and tokens', async () => {
    const { user, token, row, grant, replaced, next } = await openReplaced(10)
    const other = { ...grant, ...newGrantId() }
    await insertGrants([other])
    const newHash = () => ({ idHash: newToken(service().context), grantId: other.id })
    // The first grant has 13 rows: the code, the refresh token, its replacement, and ten copies.
    await insertArtifacts(olderCopies(row, ARTIFACTS_OF_USER_MAXIMUM - 13 - 1, newHash))
    const second = await next(token)
    assert.equal(await replaced(), 12)
    await insertArtifacts(olderCopies(row, 1, newHash))
    await next(second)
    assert.equal(await replaced(), REPLACED_BEYOND_MAXIMUM)
    assert.equal((await grantsOf(user).execute()).length, 2)
  })

  test('The grant of an exchange expires with its token, and not with the session', async () => {
    const { user, app } = await open()
    const { body } = await exchange(service(), app, user.token, { organization: user.organization.slug })
    assert.equal((await introspect(service(), app, body.access_token)).body.active, true)
    const [grant] = await grantsOf(user).execute()
    const secondsLater = Number(payloadOf(body.access_token).exp) - Number(grant?.expiresAt) / 1000
    assert.ok(Math.abs(secondsLater) <= 1, `the token ends ${secondsLater} s later`)
    service().advance(901_000)
    assert.deepEqual((await introspect(service(), app, body.access_token)).body, { active: false })
    const again = await exchange(service(), app, body.access_token)
    assert.deepEqual(refusalOf(again), [400, 'invalid_request'])
  })
})
