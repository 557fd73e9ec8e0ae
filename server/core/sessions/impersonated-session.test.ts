import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { userWithRole } from '../../../test/support/staff.ts'
import { administrator, PASSWORD } from '../../../test/support/users.ts'
import { OPERATOR } from '../audit/actor.ts'
import { inTransaction } from '../in-transaction.ts'
import { createCallerFinder } from './caller-cache.ts'
import { createImpersonationTokens, startImpersonatedSession } from './impersonated-session.ts'

onEachDatabase('startImpersonatedSession', (service) => {
  test('startImpersonatedSession refuses staff whose session has got a new token since the request was authenticated', async () => {
    const { context } = service()
    const admin = await administrator(service())
    const { id: userId } = await userWithRole(service(), admin)
    const caller = await createCallerFinder(context, undefined)(admin.token)
    assert.ok(caller)
    const start = () =>
      inTransaction(context, OPERATOR, (unit) =>
        startImpersonatedSession(unit, caller, { userId }, createImpersonationTokens(context, caller)),
      )

    assert.equal((await start()).session.userId, userId)
    assert.equal((await admin.client.post('/api/auth/verify-password', { password: PASSWORD })).status, 200)
    await assert.rejects(start(), { code: 'UNAUTHORIZED' })
  })
})
