import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdRequest } from '../../../test/support/held-request.ts'
import { startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { TIMEOUTS } from './http-server.ts'

test('Log lines of a request have the x-request-id of its response, and one has the cause of a failure', async (t) => {
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
  assert.deepEqual([failure?.msg, failure?.method, failure?.route], ['request failed', 'GET', '/api/auth/get-session'])
  assert.match(JSON.stringify(failure?.err), /no such table/)
})

test('The id of a request is never one that the client sends, so it names one request in the log and the audit log', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const headers = { 'x-request-id': 'chosen by the client', 'request-id': 'chosen by the client' }
  const answer = await service.client().get('/api/auth/ok', { headers })
  assert.match(answer.headers.get('x-request-id') ?? '', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
})

test('A request that the client aborts is not logged as a failure', async (t) => {
  const lines: Record<string, unknown>[] = []
  const service = await startService({ engine: 'sqlite', onLog: (line) => lines.push(JSON.parse(line)) })
  t.after(() => service.stop())
  const held = await holdRequest(service.baseUrl, '/api/auth/sign-in/email', { email: 'ada@example.com' })
  held.abort()
  const isAbout = ({ msg }: Record<string, unknown>) => msg === 'the client aborted the request'
  await until(() => lines.some(isAbout), 'the abort is logged')
  assert.deepEqual(
    lines.filter(({ level }) => Number(level) > 30),
    [],
  )
})

test('A request whose end does not arrive gets 408 REQUEST_TIMEOUT', async (t) => {
  const service = await startService({ engine: 'sqlite', timeouts: { ...TIMEOUTS, requestMilliseconds: 600 } })
  t.after(() => service.stop())
  const held = await holdRequest(service.baseUrl, '/api/auth/sign-in/email', { email: 'ada@example.com' })
  assert.match(await held.answer(), /^HTTP\/1\.1 408 /)
})

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`LOG_LEVEL=debug logs each SQL statement without its parameters (${engine})`, async (t) => {
    const lines: string[] = []
    const service = await startService({ engine, onLog: (line) => lines.push(line) })
    t.after(() => service.stop())
    await service.client().post('/api/auth/sign-in/email', { email: 'ada@example.com', password: 'guess this one' })
    const statements = lines.map((line) => JSON.parse(line).sql).filter((sql) => sql !== undefined)
    assert.ok(statements.some((sql) => /^select .* from "users"/.test(sql)))
    assert.doesNotMatch(lines.join(''), /ada@example\.com/)
  })
}
