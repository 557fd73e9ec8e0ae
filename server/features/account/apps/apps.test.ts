import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertSessionAtClient, insertTestClient, insertTestConsent } from '../../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { sortByLanguage } from '../../../../test/support/sort-by-language.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { administrator, administratorWithOrganization, newMember } from '../../../../test/support/users.ts'
import { OPERATOR } from '../../../core/audit/actor.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { saveConsent } from '../../../core/oauth-consents/store.ts'
import { SESSION_MILLISECONDS_MAXIMUM } from '../../../core/sessions/lifetimes.ts'

const OAUTH2 = '/api/auth/oauth2'

onEachDatabase('Apps with access', (service) => {
  const newUser = async () => userWithRole(service(), await administrator(service()))
  const rowsOf = async (userId: string) => {
    const { database } = service().context
    const read = (table: 'oauthConsents' | 'clientSessions' | 'oauthGrants') =>
      database.selectFrom(table).select('clientId').where('userId', '=', userId).execute()
    return [await read('oauthConsents'), await read('clientSessions'), await read('oauthGrants')].map(
      ({ length }) => length,
    )
  }
  const eventsOf = (userId: string) =>
    service()
      .context.database.selectFrom('auditEvents')
      .select(['actorId', 'details'])
      .where('action', '=', 'oauth-consent.revoked')
      .where('subjectId', '=', userId)
      .execute()

  test('list-apps lists the apps with a consent or a session of the caller, with what each sees and when it was used', async () => {
    const user = await newUser()
    const other = await newUser()
    const scope = 'openid email organization'
    const metadata = { client_name: 'Charts', client_uri: 'https://charts.example.com', scope }
    const { client: charts, consent } = await insertTestConsent(service(), user.id, { metadata })
    const boss = await administratorWithOrganization(service())
    const names = { client_name: 'Own' }
    const own = await insertTestClient(service(), names, { organizationId: boss.organization.id, skipConsent: 1 })
    await insertTestConsent(service(), other.id)
    service().advance(60_000)
    const clientId = own.id
    await insertSessionAtClient(service(), { userId: user.id, clientId, scopes: 'openid profile' })
    await insertSessionAtClient(service(), { userId: user.id, clientId: charts.id, scopes: 'openid organization' })
    const { body } = await user.client.get(`${OAUTH2}/list-apps`)
    const [first, second] = body
    assert.equal(body.length, 2)
    const { firstUsedAt, lastUsedAt, ...rest } = first
    assert.deepEqual(rest, {
      clientId: charts.id,
      name: 'Charts',
      uri: 'https://charts.example.com',
      logoUri: null,
      organizationName: null,
      isSelfRegistered: true,
      scopes: ['openid', 'email', 'organization'],
      consentId: consent.id,
    })
    assert.equal(Date.parse(firstUsedAt), consent.createdAt)
    assert.ok(Date.parse(lastUsedAt) - Date.parse(firstUsedAt) >= 60_000)
    assert.deepEqual(
      [second.clientId, second.organizationName, second.consentId, second.scopes],
      [own.id, 'Example Works', null, ['openid', 'profile']],
    )
    const update = { scope: 'openid' }
    const updated = await boss.client.post(`${OAUTH2}/update-client`, { client_id: own.id, update })
    assert.equal(updated.status, 200, JSON.stringify(updated.body))
    assert.deepEqual((await user.client.get(`${OAUTH2}/list-apps`)).body[1].scopes, ['openid'])
    const grants = service().context.database.updateTable('oauthGrants').where('clientId', '=', own.id)
    await grants.set({ expiresAt: service().context.now() }).execute()
    assert.deepEqual((await user.client.get(`${OAUTH2}/list-apps`)).body[1].scopes, [])
  })

  test('list-apps says that an app registered itself, and not that an app of the service or an organization did', async () => {
    const user = await newUser()
    const { organization } = await administratorWithOrganization(service())
    const owners = [{}, { createdBy: user.id }, { organizationId: organization.id }]
    for (const [index, columns] of owners.entries())
      await insertTestConsent(service(), user.id, { metadata: { client_name: `App ${index}` }, columns })
    const { body } = await user.client.get(`${OAUTH2}/list-apps`)
    assert.deepEqual(
      body.map(({ isSelfRegistered }: { isSelfRegistered: boolean }) => isSelfRegistered),
      [true, false, false],
    )
  })

  test('list-apps says when the user first signed in to an app that needs no consent', async () => {
    const user = await newUser()
    const { id: clientId } = await insertTestClient(service(), {}, { skipConsent: 1 })
    const signIn = () => insertSessionAtClient(service(), { userId: user.id, clientId, scopes: 'openid' })
    await signIn()
    const signedInAt = service().context.now()
    service().advance(60_000)
    await signIn()
    const [app] = (await user.client.get(`${OAUTH2}/list-apps`)).body
    assert.ok(Date.parse(app.firstUsedAt) <= signedInAt)
  })

  test('list-apps names no scope of a token that ended before the session it was moved to', async () => {
    const user = await newUser()
    const { id: clientId } = await insertTestClient(service(), {}, { skipConsent: 1 })
    await insertSessionAtClient(service(), { userId: user.id, clientId, scopes: 'openid profile' })
    const { now, database } = service().context
    const signedInAt = now() - SESSION_MILLISECONDS_MAXIMUM
    const scopesAfter = async (time: number) => {
      await database.updateTable('oauthGrants').set({ signedInAt: time }).where('clientId', '=', clientId).execute()
      return (await user.client.get(`${OAUTH2}/list-apps`)).body[0].scopes
    }
    assert.deepEqual(await scopesAfter(signedInAt + 60_000), ['openid', 'profile'])
    assert.deepEqual(await scopesAfter(signedInAt), [])
  })

  test('list-apps sorts the names by code point', async () => {
    await sortByLanguage(service(), 'oauthClients', 'name')
    const user = await newUser()
    for (const client_name of ['b', 'Zoo', '_x', 'a'])
      await insertTestConsent(service(), user.id, { metadata: { client_name } })
    const { body } = await user.client.get(`${OAUTH2}/list-apps`)
    assert.deepEqual(
      body.map(({ name }: { name: string }) => name),
      ['Zoo', '_x', 'a', 'b'],
    )
  })

  test('get-consents and get-consent return the consents of the caller only', async () => {
    const user = await newUser()
    const other = await newUser()
    const { consent: row, client } = await insertTestConsent(service(), user.id)
    const { organizationIds: _, ...consent } = row
    const { consent: foreign } = await insertTestConsent(service(), other.id)
    const { body } = await user.client.get(`${OAUTH2}/get-consents`)
    const times = [consent.createdAt, consent.updatedAt].map((time) => new Date(time).toISOString())
    const expected = { ...consent, scopes: ['openid', 'email'], createdAt: times[0], updatedAt: times[1] }
    assert.deepEqual(body, [{ ...expected, clientName: client.name, logoUri: null }])
    assert.deepEqual((await user.client.get(`${OAUTH2}/get-consent?id=${consent.id}`)).body, body[0])
    const refused = await user.client.get(`${OAUTH2}/get-consent?id=${foreign.id}`)
    assert.deepEqual([refused.status, refused.body.code], [404, 'OAUTH_CONSENT_NOT_FOUND'])
  })

  test('get-consents lists the consent first that was given or extended last', async () => {
    const user = await newUser()
    const older = await insertTestConsent(service(), user.id)
    service().advance(60_000)
    const newer = await insertTestConsent(service(), user.id)
    const listed = async () =>
      (await user.client.get(`${OAUTH2}/get-consents`)).body.map(({ id }: { id: string }) => id)
    assert.deepEqual(await listed(), [newer.consent.id, older.consent.id])
    service().advance(60_000)
    const extended = { userId: user.id, clientId: older.client.id, scopes: ['profile'], organizationId: null }
    await inTransaction(service().context, OPERATOR, (unit) => saveConsent(unit, extended))
    assert.deepEqual(await listed(), [older.consent.id, newer.consent.id])
  })

  test('delete-consent and revoke-app delete the consent, the sessions and grants of the app, and record it once', async () => {
    for (const path of ['delete-consent', 'revoke-app']) {
      const user = await newUser()
      const other = await newUser()
      const { consent } = await insertTestConsent(service(), user.id)
      const { clientId } = consent
      await insertTestConsent(service(), user.id)
      await insertSessionAtClient(service(), { userId: other.id, clientId, scopes: 'openid' })
      const body = path === 'revoke-app' ? { clientId } : { id: consent.id }
      const refused = await other.client.post(`${OAUTH2}/delete-consent`, { id: consent.id })
      assert.deepEqual([refused.status, refused.body.code], [404, 'OAUTH_CONSENT_NOT_FOUND'])
      assert.deepEqual((await user.client.post(`${OAUTH2}/${path}`, body)).body, { status: true })
      assert.deepEqual(await rowsOf(user.id), [1, 1, 1], 'the other app stays')
      assert.deepEqual(await rowsOf(other.id), [0, 1, 1], 'the other user stays')
      assert.equal((await user.client.post(`${OAUTH2}/${path}`, body)).status, 404)
      const events = (await eventsOf(user.id)).map(({ actorId, details }) => [actorId, JSON.parse(details)])
      assert.deepEqual(events, [[user.id, { clientId, name: 'Grafana' }]])
    }
  })

  test('revoke-app ends an app without consent, and returns 404 for an app without access', async () => {
    const user = await newUser()
    const { id: clientId } = await insertTestClient(service(), {}, { skipConsent: 1 })
    const revoke = () => user.client.post(`${OAUTH2}/revoke-app`, { clientId })
    assert.deepEqual((await revoke()).body.code, 'OAUTH_CLIENT_NOT_FOUND')
    await insertSessionAtClient(service(), { userId: user.id, clientId, scopes: 'openid' })
    assert.equal((await revoke()).status, 200)
    assert.deepEqual((await user.client.get(`${OAUTH2}/list-apps`)).body, [])
  })

  test('revoke-app enqueues the log-out of an app that has an address for it', async () => {
    const user = await newUser()
    const metadata = { backchannel_logout_uri: 'https://charts.example.com/logout' }
    const { consent, sid } = await insertTestConsent(service(), user.id, { metadata })
    await user.client.post(`${OAUTH2}/revoke-app`, { clientId: consent.clientId })
    const { database } = service().context
    const queued = await database.selectFrom('oauthLogouts').select('sid').where('userId', '=', user.id).execute()
    assert.deepEqual(
      queued.map((row) => row.sid),
      [sid],
    )
  })

  test('Users see in their history that an app got access and lost it', async () => {
    const user = await newMember(service())
    const { id: clientId } = await insertTestClient(service())
    await inTransaction(service().context, OPERATOR, (unit) =>
      saveConsent(unit, { userId: user.id, clientId, scopes: ['openid', 'email'], organizationId: null }),
    )
    await user.client.post(`${OAUTH2}/revoke-app`, { clientId })
    const { body } = await user.client.get('/api/auth/list-security-events')
    const events = body.events.filter(({ action }: { action: string }) => action.startsWith('oauth-consent.'))
    assert.deepEqual(
      events.map(({ action, details }: { action: string; details: object }) => [action, details]),
      [
        ['oauth-consent.revoked', { name: 'Grafana' }],
        ['oauth-consent.granted', { name: 'Grafana' }],
      ],
    )
  })
})
