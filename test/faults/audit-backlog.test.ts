import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { recordEvents } from '../../server/core/audit/record-event.ts'
import { countUnlinked } from '../../server/core/audit/store.ts'
import { createInstallation } from '../support/copies.ts'
import { assertAuditLogWhole } from '../support/populated.ts'
import { startProcess } from '../support/process.ts'
import { until } from '../support/until.ts'

const EVENTS = 100_000
const EVENTS_PER_STATEMENT = 1_000
/** The service must stop within ten seconds. */
const STOP_MILLISECONDS_MAXIMUM = 10_000

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`A process on ${engine} stops within seconds with ${EVENTS} audit events to link, and the next one goes on`, async (t) => {
    const installation = await createInstallation(t)
    const url = await installation.createDatabase(engine)
    const first = await startProcess(url, installation.environment)
    const opened = installation.open(url)
    t.after(opened.close)
    const { database } = opened.context
    const events = Array.from({ length: EVENTS_PER_STATEMENT }, () => ({ action: 'user.updated' as const }))
    await database.transaction().execute(async (transaction) => {
      for (let count = 0; count < EVENTS; count += EVENTS_PER_STATEMENT)
        await recordEvents(transaction, opened.context, OPERATOR, events)
    })
    await until(async () => (await countUnlinked(database)) < EVENTS, 'the process links the first events')
    const startedAt = performance.now()
    first.child.kill('SIGTERM')
    assert.equal(await first.ended, 0, first.output())
    const milliseconds = performance.now() - startedAt
    t.diagnostic(`stopped after ${Math.round(milliseconds)} ms`)
    assert.ok(milliseconds < STOP_MILLISECONDS_MAXIMUM, `${milliseconds} ms`)
    const rest = await countUnlinked(database)
    assert.ok(rest > 0)

    const second = await startProcess(url, installation.environment)
    await until(async () => (await countUnlinked(database)) < rest, 'the next process goes on')
    second.child.kill('SIGTERM')
    assert.equal(await second.ended, 0, second.output())
    await assertAuditLogWhole(opened)
    assert.equal(await countUnlinked(database), 0)
  })
}
