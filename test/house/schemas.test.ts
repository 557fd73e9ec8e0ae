import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import compileSerializer from 'fast-json-stringify'
import { compileValidator } from '../../server/platform/http/compile-at-first-use.ts'
import { type Service, startService } from '../support/service.ts'

interface Answer {
  content?: Record<string, { schema: object }>
}

describe('Schemas', () => {
  let service: Service
  before(async () => {
    service = await startService({ engine: 'sqlite' })
  })
  after(() => service.stop())

  test('Every schema of every route compiles, because the start compiles none', () => {
    let validators = 0
    let serializers = 0
    for (const { method, url, schema = {} } of service.routes) {
      for (const part of [schema.params, schema.querystring, schema.body, schema.headers]) {
        if (!part) continue
        assert.doesNotThrow(() => compileValidator(part), `${method} ${url}`)
        validators += 1
      }
      for (const [status, answer] of Object.entries((schema.response ?? {}) as Record<string, Answer>)) {
        const contents = answer.content && Object.values(answer.content).map((content) => content.schema)
        for (const content of contents ?? [answer]) {
          assert.doesNotThrow(() => compileSerializer(content), `${method} ${url}, ${status}`)
          serializers += 1
        }
      }
    }
    assert.ok(validators > 100 && serializers > 500, `${validators} validators, ${serializers} serializers`)
  })
})
