import type { Service } from './service.ts'

interface Field {
  type?: string | string[]
  format?: string
  /** Set for an object that must not be empty. */
  minProperties?: number
  /** Set for a list that must not be empty. */
  minItems?: number
}

interface Parameter {
  name: string
  in: string
  description?: string
}

/** One route of the OpenAPI document. */
export interface Operation {
  method: 'get' | 'post'
  path: string
  isPublic: boolean
  /** Contains the access of the route. */
  description: string
  /** Parameters in the path and in the query. */
  parameters: Parameter[]
  /** The fields of the body. `isClosed`: other fields are refused. Undefined for a route without a body. */
  body?: { fields: Record<string, Field>; required: string[]; isClosed: boolean }
}

interface DocumentedOperation {
  /** Set for the endpoints of OAuth 2.0 and OpenID Connect. */
  'x-protocol'?: string
  description: string
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: {
    content: {
      'application/json': {
        schema: { properties?: Record<string, Field>; required?: string[]; additionalProperties?: unknown }
      }
    }
  }
}

/**
 * Lists all routes of the published OpenAPI document, so that tests include new routes. The endpoints of OAuth 2.0 are
 * left out: their bodies and errors are those of its standards, and test/openid/ tests them.
 */
export async function operations(service: Service): Promise<Operation[]> {
  const { body } = await service.client().get('/api/auth/openapi.json')
  const paths = body.paths as Record<string, Record<'get' | 'post', DocumentedOperation>>
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation['x-protocol']
        ? []
        : {
            method: method as 'get' | 'post',
            path: path.replace(/\{[^}]+\}/g, 'placeholder'),
            isPublic: operation.security?.length === 0,
            description: operation.description,
            parameters: (operation.parameters ?? []).filter((parameter) => parameter.in !== 'header'),
            ...bodyOf(operation),
          },
    ),
  )
}

function bodyOf({ requestBody }: DocumentedOperation): Pick<Operation, 'body'> {
  const schema = requestBody?.content['application/json'].schema
  if (!schema) return {}
  const { properties = {}, required = [], additionalProperties } = schema
  return { body: { fields: properties, required, isClosed: additionalProperties === false } }
}
