import { request } from './request.ts'

/** What the reference reads of JSON Schema. */
export type Schema = {
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

type Content = { content?: { 'application/json'?: { schema?: Schema } } }

export type DocumentedOperation = {
  summary?: string
  description?: string
  tags?: string[]
  security?: object[]
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: Content
  responses?: Record<string, Content & { description: string }>
}

/** What the service publishes about its own interface. */
export type OpenApiDocument = {
  servers: { url: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
}

export function readOpenApi(): Promise<OpenApiDocument> {
  return request('/api/auth/openapi.json')
}

export function schemaOf(content: Content | undefined): Schema | undefined {
  return content?.content?.['application/json']?.schema
}
