import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newToken } from '../../server/platform/crypto/tokens.ts'
import { chunksOf } from '../../server/platform/database/chunks.ts'
import type { OAuthArtifactRow, OAuthGrantRow } from '../../server/platform/database/tables.ts'
import { authorizationRequest, codeIn, createTestApp, payloadOf, signInTo, type TestApp } from '../support/openid.ts'
import { refusalOf } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { exchange, introspect, refresh } from '../support/token-requests.ts'
import { member, type Owner, owner } from '../support/users.ts'

const GRANTS_MAXIMUM = 10_000
const REPLACED_MAXIMUM = 1_000

onEachDatabase('The rows of a session at its clients', (service) => {
  const database = () => service().context.database
  async function open(): Promise<{ user: Owner; app: TestApp }> {
    return { user: await member(service(), await owner(service())), app: await createTestApp(service()) }
  }
  const grantsOf = ({ id }: Owner) => database().selectFrom('oauthGrants').selectAll().where('userId', '=', id)
  const artifactsOf = ({ id }: OAuthGrantRow) =>
    database().selectFrom('oauthArtifacts').selectAll().where('grantId', '=', id).orderBy('createdAt').orderBy('idHash')

  /** Copies a row, each copy a millisecond older than the one before. */
  const olderCopies = <Row extends { createdAt: number }>(row: Row, count: number, change: () => Partial<Row>): Row[] =>
    Array.from({ length: count }, (_, index) => ({ ...row, createdAt: row.createdAt - index - 1, ...change() }))

  test('a session has at most 10,000 grants: the next authorization deletes the oldest', async () => {
    const { user, app } = await open()
    const { refresh_token = '' } = await signInTo(user, app)
    const first = await grantsOf(user).executeTakeFirstOrThrow()
    const copies = olderCopies(first, GRANTS_MAXIMUM + 100, () => ({ id: newToken(service().context) }))
    for (const chunk of chunksOf(copies)) await database().insertInto('oauthGrants').values(chunk).execute()
    service().advance(1_000)
    codeIn(await user.client.get((await authorizationRequest(app)).path))
    const left = await grantsOf(user).orderBy('createdAt').execute()
    assert.equal(left.length, GRANTS_MAXIMUM)
    assert.equal(left[0]?.createdAt, first.createdAt - GRANTS_MAXIMUM + 2)
    assert.equal((await refresh(service(), app, refresh_token)).status, 200)
    assert.equal((await user.client.post('/api/auth/sign-out')).status, 200)
    assert.deepEqual(await grantsOf(user).execute(), [])
  })

  test('a grant keeps 1,000 replaced refresh tokens: each hundredth refresh deletes older ones', async () => {
    const { user, app } = await open()
    let { refresh_token: token = '' } = await signInTo(user, app)
    const grant = await grantsOf(user).executeTakeFirstOrThrow()
    const newest = async () => (await artifactsOf(grant).execute()).at(-1) as OAuthArtifactRow
    const row = await newest()
    const consumedAt = row.createdAt
    const copies = olderCopies(row, REPLACED_MAXIMUM + 50, () => ({ idHash: newToken(service().context), consumedAt }))
    await database().insertInto('oauthArtifacts').values(copies).execute()
    const payload = JSON.stringify({ ...JSON.parse(row.payload), rotations: 98 })
    await database().updateTable('oauthArtifacts').set({ payload }).where('idHash', '=', row.idHash).execute()
    const counts: number[] = []
    for (let time = 0; time < 3; time += 1) {
      service().advance(1_000)
      const { body } = await refresh(service(), app, token)
      token = body.refresh_token
      counts.push((await artifactsOf(grant).where('consumedAt', 'is not', null).execute()).length)
    }
    // The code of the sign-in is consumed too.
    const full = copies.length + 2
    assert.deepEqual(counts, [full, REPLACED_MAXIMUM, REPLACED_MAXIMUM + 1])
    assert.equal((await newest()).consumedAt, null)
  })

  test('what an exchange of a session token gave ends with the token, and not with the session', async () => {
    const { user, app } = await open()
    const { body } = await exchange(service(), app, user.token, { organization: user.organization.slug })
    assert.equal((await introspect(service(), app, body.access_token)).body.active, true)
    const [grant] = await grantsOf(user).execute()
    const secondsLater = Number(payloadOf(body.access_token).exp) - Number(grant?.expiresAt) / 1000
    assert.ok(Math.abs(secondsLater) <= 1, `the token ends ${secondsLater} s later`)
    service().advance(901_000)
    assert.deepEqual((await introspect(service(), app, body.access_token)).body, { active: false })
    const again = await exchange(service(), app, body.access_token)
    assert.deepEqual(refusalOf(again), [400, 'invalid_grant'])
  })
})
