import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../test/support/operations.ts'
import { startService } from '../../../test/support/service.ts'
import { administratorWithOrganization } from '../../../test/support/users.ts'

test('Every list says its longest page in the reference, returns it, and refuses a longer one', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { client, id, organization } = await administratorWithOrganization(service)
  const values: Record<string, string> = { userId: id, organizationId: organization.id }
  let count = 0
  for (const { path, parameters } of await operations(service)) {
    const limit = parameters.find(({ name }) => name === 'limit')
    if (!limit) continue
    const [, maximum] = /^1 to (\d+)\b/.exec(limit.description ?? '') ?? []
    const named = parameters.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]]))
    const call = (rows: number) => client.get(`${path}?${new URLSearchParams([...named, ['limit', `${rows}`]])}`)
    assert.equal((await call(Number(maximum))).status, 200, `${path} ${limit.description}`)
    const { status, body } = await call(Number(maximum) + 1)
    assert.deepEqual([status, body.field], [400, 'limit'], path)
    count += 1
  }
  assert.ok(count > 12, `${count} lists`)
})
