import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertTestClient } from '../../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { newMember } from '../../../../test/support/users.ts'
import { DEVICE_CODE_GRANT } from '../../../core/oauth-clients/metadata.ts'

onEachDatabase('device', (service) => {
  test('device says when and from where the device asked, by the address that the service trusts', async () => {
    const grant_types = [DEVICE_CODE_GRANT]
    const client = await insertTestClient(service(), { grant_types, response_types: [], redirect_uris: [] })
    const before = service().context.now()
    const address = '10.11.12.13'
    const started = await fetch(`${service().baseUrl}/api/auth/device/code`, {
      method: 'POST',
      headers: { 'x-forwarded-for': `203.0.113.66, ${address}`, 'user-agent': 'x'.repeat(4000) },
      body: new URLSearchParams({ client_id: client.id, scope: 'openid' }),
    })
    const { user_code } = (await started.json()) as { user_code: string }
    const user = await newMember(service())
    const { body } = await user.client.get(`/api/auth/device?user_code=${user_code}`)
    assert.deepEqual(body.requestedBy, { ipAddress: address, userAgent: 'x'.repeat(200) })
    const requestedAt = Date.parse(body.requestedAt)
    assert.ok(before <= requestedAt && requestedAt <= service().context.now(), body.requestedAt)
  })
})
