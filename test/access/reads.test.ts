import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReads } from '../support/reads.ts'
import { onEachDatabase } from '../support/service.ts'
import { listStoredRows } from '../support/stored-rows.ts'

const AUTH = '/api/auth'

/** The GET routes that change rows. Rule 5 of ARCHITECTURE.md names them. */
const CHANGING_GETS = [
  '/invite/:reference',
  `${AUTH}/verify-email`,
  `${AUTH}/delete-user/callback`,
  `${AUTH}/passkey/generate-register-options`,
  `${AUTH}/passkey/generate-authenticate-options`,
  `${AUTH}/oauth2/authorize`,
  `${AUTH}/oauth2/authorize/:interaction`,
  `${AUTH}/oauth2/end-session`,
  '/readyz',
]

onEachDatabase('Reads', (service) => {
  test('GET routes change no row, except those of the list, and neither do POST routes that only read', async () => {
    const { context, routes } = service()
    const readRows = async () => {
      await context.repeatedEvents.save()
      // The test write of get-system changes the only row of writeTests.
      return listStoredRows(context.database, ['rateLimits', 'writeTests'])
    }
    const reads = await createReads(service(), CHANGING_GETS)
    // The service stores the last use of an API key at most once a minute.
    for (const { name, send } of reads) if (name.endsWith('/api-key/verify')) await send()

    const rows = await readRows()
    for (const { name, send } of reads) {
      const { status, body } = await send()
      assert.ok(status === 200 || status === 302, `${name}: ${status} ${JSON.stringify(body)}`)
    }
    assert.deepEqual(await readRows(), rows)
    for (const url of CHANGING_GETS)
      assert.ok(
        routes.some((route) => route.url === url && route.method === 'GET'),
        url,
      )
  })
})
