import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertTestClient, insertTestConsent } from '../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administratorWithOrganization } from '../../../test/support/users.ts'
import { deleteOAuthClientWithoutConsent, findOAuthClient, lockOAuthClientForUpdate, metadataOf } from './store.ts'

onEachDatabase('oauth-clients', (service) => {
  test('metadataOf returns the metadata of a stored client, with its name and log-out address', async () => {
    const uri = 'https://grafana.example.com/logout'
    const { id } = await insertTestClient(service(), { client_name: 'Graphs', backchannel_logout_uri: uri })
    const found = await findOAuthClient(service().context.database, id)
    assert.ok(found)
    const { client_name, backchannel_logout_uri, redirect_uris } = metadataOf(found)
    assert.deepEqual(
      [client_name, backchannel_logout_uri, redirect_uris],
      ['Graphs', uri, ['https://grafana.example.com/login/generic_oauth']],
    )
    assert.ok(!found.metadata.includes('Graphs') && !found.metadata.includes(uri))
  })

  test('lockOAuthClientForUpdate finds no client of another owner', async () => {
    const { database } = service().context
    const { id } = await insertTestClient(service())
    assert.equal((await lockOAuthClientForUpdate(database, { id, organizationId: null })).id, id)
    const foreign = lockOAuthClientForUpdate(database, { id, organizationId: 'org_other' })
    await assert.rejects(foreign, { code: 'OAUTH_CLIENT_NOT_FOUND' })
  })

  test('deleteOAuthClientWithoutConsent deletes no client that a user has allowed concurrently', async () => {
    const { database } = service().context
    const { id: unused } = await insertTestClient(service())
    const { client } = await insertTestConsent(service(), (await administratorWithOrganization(service())).id)
    const deleted = [
      await deleteOAuthClientWithoutConsent(database, unused),
      await deleteOAuthClientWithoutConsent(database, client.id),
    ]
    assert.deepEqual(deleted, [true, false])
    assert.equal(await findOAuthClient(database, unused), undefined)
    assert.ok(await findOAuthClient(database, client.id))
  })

  test('findOAuthClient returns undefined for an unknown id', async () => {
    assert.equal(await findOAuthClient(service().context.database, 'cli_unknown'), undefined)
  })
})
