import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertTestSession } from '../../../../test/support/client-sessions.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administratorWithOrganization, member, type TestUser } from '../../../../test/support/users.ts'
import { OPERATOR } from '../../../core/audit/actor.ts'
import { createRateLimits } from '../../../core/limits/rate-limits.ts'
import { findAuthenticatedSession } from '../../../core/sessions/find-caller.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import { createSigningKeys } from '../../tokens/signing-keys.ts'
import { runWithState } from '../common/request-state.ts'
import { createSessionAdapter } from './session-adapter.ts'

onEachDatabase('the session adapter', (service) => {
  test('The session adapter finds the session of the caller alone, by its id as by its uid', async () => {
    const { context } = service()
    const library = await import('oidc-provider')
    const adapter = createSessionAdapter({
      ...context,
      library,
      keys: createSigningKeys(context),
      rateLimits: createRateLimits(context),
    })
    const founder = await administratorWithOrganization(service())
    const user = await member(service(), founder)
    const callerOf = async ({ token }: Pick<TestUser, 'token'>) => {
      const found = await findAuthenticatedSession(context, hashToken(token))
      return found ? { ...found, token } : null
    }
    const [caller, stranger] = [await callerOf(user), await callerOf(founder)]
    const own = String(caller?.session.id)
    const others = [String(stranger?.session.id), (await insertTestSession(service(), user)).id]
    const ofRequest = { arrivedAt: context.now(), waitForTurn() {}, assertConnected: async () => {} }
    const state = { caller, actor: OPERATOR, subjects: new Map(), ...ofRequest }
    await runWithState(state, async () => {
      for (const find of [adapter.find, adapter.findByUid]) {
        const found = await find(own)
        assert.deepEqual([found?.uid, found?.accountId], [own, user.id])
        for (const other of others) assert.equal(await find(other), undefined)
      }
    })
  })
})
