import type { Service } from './service.ts'

interface Field {
  type?: string | string[]
  format?: string
  /** Where an object must not be empty. */
  minProperties?: number
}

/** One route, as the OpenAPI document describes it. */
export interface Operation {
  method: 'get' | 'post'
  path: string
  isPublic: boolean
  /** Who may call it, as the document prints it. */
  description: string
  /** The names of its parameters in the path and in the query. */
  parameters: { name: string; in: string }[]
  /** The fields of the body, and whether others are refused; undefined when it takes none. */
  body?: { fields: Record<string, Field>; required: string[]; isClosed: boolean }
}

interface DocumentedOperation {
  description: string
  security?: unknown[]
  parameters?: { name: string; in: string }[]
  requestBody?: {
    content: {
      'application/json': {
        schema: { properties?: Record<string, Field>; required?: string[]; additionalProperties?: unknown }
      }
    }
  }
}

/** Every route of the service, read off the document that it publishes, so that no test forgets a new one. */
export async function operations(service: Service): Promise<Operation[]> {
  const { body } = await service.client().get('/api/auth/openapi.json')
  const paths = body.paths as Record<string, Record<'get' | 'post', DocumentedOperation>>
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method as 'get' | 'post',
      path: path.replace(/\{[^}]+\}/g, 'placeholder'),
      isPublic: operation.security?.length === 0,
      description: operation.description,
      parameters: operation.parameters ?? [],
      ...bodyOf(operation),
    })),
  )
}

function bodyOf({ requestBody }: DocumentedOperation): Pick<Operation, 'body'> {
  const schema = requestBody?.content['application/json'].schema
  if (!schema) return {}
  const { properties = {}, required = [], additionalProperties } = schema
  return { body: { fields: properties, required, isClosed: additionalProperties === false } }
}
