import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import type { KyselyPlugin } from 'kysely'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { createSigningKeys } from '../../tokens/signing-keys.ts'
import { withdrawSigningKey } from '../../tokens/withdraw-signing-key.ts'
import { verifyJwt } from './verify-jwt.ts'

onEachDatabase('verifyJwt', (service) => {
  test('verifyJwt refuses the token of a key that was withdrawn during an earlier read of the keys', async () => {
    const { context } = service()
    const { kid, privateKey } = await createSigningKeys(context).current()
    const token = await new SignJWT({ iss: context.config.baseUrl })
      .setProtectedHeader({ alg: 'RS256', kid })
      .sign(privateKey)
    const begun = Promise.withResolvers<void>()
    const slow = Promise.withResolvers<void>()
    const results = [slow.promise]
    const holdFirst: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        begun.resolve()
        await results.shift()
        return result
      },
    }
    const keys = createSigningKeys({ ...context, database: context.database.withPlugin(holdFirst) })
    const earlier = keys.published()
    await begun.promise
    assert.ok(await verifyJwt({ ...context, keys }, token, {}))
    await withdrawSigningKey(context, kid)
    const verified = verifyJwt({ ...context, keys }, token, {})
    slow.resolve()
    assert.ok((await earlier).keys.some((key) => key.kid === kid))
    assert.equal(await verified, undefined)
  })
})
