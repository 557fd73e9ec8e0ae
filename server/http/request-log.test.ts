import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../test/support/service.ts'

test('Every line about a request names it as its answer does, and the cause of a failure is in one of them', async (t) => {
  const lines: Record<string, unknown>[] = []
  const service = await startService({ engine: 'sqlite', onLog: (line) => lines.push(JSON.parse(line)) })
  t.after(() => service.stop())
  const linesAbout = (headers: Headers) => lines.filter(({ reqId }) => reqId === headers.get('x-request-id'))

  const { headers: ofRead } = await service.client().get('/api/auth/ok')
  const [read] = linesAbout(ofRead)
  assert.deepEqual([read?.msg, read?.route, read?.status], ['request', '/api/auth/ok', 200])

  await service.context.database.schema.alterTable('sessions').renameTo('lost').execute()
  const failed = await fetch(`${service.baseUrl}/api/auth/get-session`, { headers: { authorization: 'Bearer x' } })
  assert.equal(failed.status, 500)
  assert.ok(!(await failed.text()).includes('sessions'))
  const [failure] = linesAbout(failed.headers)
  assert.equal(failure?.msg, 'request failed')
  assert.match(JSON.stringify(failure?.err), /no such table/)
})
