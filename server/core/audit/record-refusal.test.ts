import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RawConnection } from '../../../test/support/raw-connection.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { newMember } from '../../../test/support/users.ts'

onEachDatabase('Refusals', (service) => {
  test('The refusal of a client that has disconnected is recorded with its address', async () => {
    const { context, config, baseUrl } = service()
    const { id, token } = await newMember(service())
    const host = `host: ${new URL(baseUrl).host}`
    const connection = await RawConnection.open(config.port)
    connection.send(`GET /api/auth/ok HTTP/1.1\r\n${host}\r\n\r\n`)
    await connection.read()
    connection.send(`GET /api/auth/admin/list-users HTTP/1.1\r\n${host}\r\nauthorization: Bearer ${token}\r\n\r\n`)
    connection.socket.resetAndDestroy()
    const readRefusal = async () => {
      await context.repeatedEvents.save()
      const refusals = context.database
        .selectFrom('auditEvents')
        .select('ipAddress')
        .where('action', '=', 'access.refused')
      return refusals.where('actorId', '=', id).executeTakeFirst()
    }
    await until(async () => (await readRefusal()) !== undefined, 'the refusal is in the audit log')
    assert.equal((await readRefusal())?.ipAddress, '127.0.0.1')
  })
})
