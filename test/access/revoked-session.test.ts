import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessRuleOf } from '../../server/core/access/access-rules.ts'
import { CHANGES } from '../support/changes.ts'
import { revokingSessions } from '../support/concurrently.ts'
import { onEachDatabase } from '../support/service.ts'

onEachDatabase('A session that is revoked between the check of access and the change', (service) => {
  for (const [path, change] of Object.entries(CHANGES)) {
    test(`${path} changes nothing in a session that is revoked before the transaction`, async (t) => {
      const route = service().routes.find(({ method, url }) => method === 'POST' && url === path)
      assert.ok(route, path)
      if (accessRuleOf(route.access).session !== 'required') return t.skip('The route requires no session')
      const { status, headers, body } = await revokingSessions(service(), path, () => change(service()))
      assert.deepEqual([status, body.code], [401, 'UNAUTHORIZED'])
      const { context } = service()
      await context.repeatedEvents.save()
      const events = await context.database
        .selectFrom('auditEvents')
        .select('action')
        .where('requestId', '=', headers.get('x-request-id'))
        .where('action', 'not like', '%.refused')
        .execute()
      assert.deepEqual(events, [])
    })
  }
})
