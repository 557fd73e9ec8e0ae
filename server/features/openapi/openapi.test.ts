import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import type { DeclaredRoute } from '../../core/access/declared-routes.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { registerOpenApiRoute } from './openapi.ts'

test('A document that could not be rendered is rendered again by the next request', async (t) => {
  const readRoutes = t.mock.fn((): DeclaredRoute[] => [])
  readRoutes.mock.mockImplementationOnce(() => {
    throw new Error('out of memory')
  })
  const app = Fastify().decorate('declaredRoutes', { getter: readRoutes })
  registerOpenApiRoute(app as unknown as HttpApp, readConfig({}))
  const get = () => app.inject({ url: '/api/auth/openapi.json' })
  assert.equal((await get()).statusCode, 500)
  const { statusCode, body } = await get()
  assert.equal(statusCode, 200, body)
  assert.equal(JSON.parse(body).openapi, '3.1.0')
})
