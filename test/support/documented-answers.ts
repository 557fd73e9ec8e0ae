import assert from 'node:assert/strict'
import { Check, Errors } from 'typebox/schema'
import { describeApi } from '../../server/features/openapi/openapi.ts'
import type { Config } from '../../server/platform/config/config.ts'
import type { HttpApp } from '../../server/platform/http/http-app.ts'

type ErrorAnswer = { content?: { 'application/json': { schema: { 'x-error-codes'?: string[] } } } }
type Documented = Record<string, Record<string, { responses: Record<string, ErrorAnswer> }>>

/** One document for each set of routes. A document takes 50 ms, and a process of tests starts twenty services. */
const DOCUMENTS = new Map<string, Promise<Documented>>()

function documentRoutes({ declaredRoutes }: HttpApp, config: Config): Promise<Documented> {
  const routes = declaredRoutes.map(({ method, url }) => `${method} ${url}`).join()
  const known = DOCUMENTS.get(routes)
  if (known) return known
  const document = describeApi(declaredRoutes, config).then(({ paths }) => paths as Documented)
  DOCUMENTS.set(routes, document)
  return document
}

/**
 * Compares every response of a service with the OpenAPI document: errors and redirects by status and code, others by
 * their schema. @returns the function that asserts at the end that every response was documented
 */
export function watchResponses(app: HttpApp, config: Config): () => void {
  const undocumented = new Set<string>()
  app.addHook('onSend', async ({ routeOptions: { url, schema }, method }, { statusCode }, payload) => {
    if (statusCode < 300 || statusCode === 304 || url === undefined || schema?.hide || method === 'HEAD') return
    const path = url.replace(/:(\w+)/g, '{$1}')
    const documented = await documentRoutes(app, config)
    const answers = documented[path]?.[method.toLowerCase()]?.responses ?? {}
    if (statusCode < 400) {
      if (!(statusCode in answers)) undocumented.add(`${method} ${path}: ${statusCode}`)
      return
    }
    const code = typeof payload === 'string' && /^\{"code":"(\w+)"/.exec(payload)?.[1]
    const codes = answers[statusCode]?.content?.['application/json'].schema['x-error-codes'] ?? []
    if (code && !codes.includes(code)) undocumented.add(`${method} ${path}: ${statusCode} ${code}`)
  })
  // Before serialization, because the serializer writes an undocumented null as an empty string.
  app.addHook('preSerialization', async ({ routeOptions: { url, schema }, method }, { statusCode }, payload) => {
    const documented = (schema?.response as Record<number, object> | undefined)?.[statusCode]
    if (statusCode !== 200 || documented === undefined || Check(documented, payload)) return payload
    const [, [error] = []] = Errors(documented, payload)
    undocumented.add(`${method} ${url}: 200 ${error?.instancePath} ${error?.message}`)
    return payload
  })
  return () => assert.deepEqual([...undocumented], [], 'undocumented responses')
}
