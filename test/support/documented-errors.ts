import assert from 'node:assert/strict'
import type { App } from '../../server/http/typed-app.ts'

type Documented = Record<string, Record<string, { responses: Record<string, { description: string }> }>>

/**
 * Watches every error that a service answers with, whoever asks.
 * @returns what complains, at the end, of those that the OpenAPI document does not have for the route
 */
export function watchErrors(app: App): () => void {
  const undocumented = new Set<string>()
  app.addHook('onSend', async ({ routeOptions: { url, schema }, method }, { statusCode }, payload) => {
    if (statusCode < 400 || url === undefined || schema?.hide || typeof payload !== 'string') return
    const code = /^\{"code":"(\w+)"/.exec(payload)?.[1]
    if (code === undefined || method === 'HEAD') return
    const path = url.replace(/:(\w+)/g, '{$1}')
    const answers = (app.swagger().paths as Documented)[path]?.[method.toLowerCase()]?.responses
    const codes = answers?.[statusCode]?.description.split(', ') ?? []
    if (!codes.includes(code)) undocumented.add(`${method} ${path}: ${statusCode} ${code}`)
  })
  return () => assert.deepEqual([...undocumented], [], 'errors that the reference does not have')
}
