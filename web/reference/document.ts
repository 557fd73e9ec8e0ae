/** The part of JSON Schema that the reference shows. */
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
  'x-error-codes'?: string[]
}

type Content = { content?: { 'application/json'?: { schema?: Schema } } }

export type DocumentedOperation = {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: object[]
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: Content
  responses?: Record<string, Content>
}

export type OpenApiDocument = {
  servers: { url: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
}

export function schemaOf(content: Content | undefined): Schema | undefined {
  return content?.content?.['application/json']?.schema
}
