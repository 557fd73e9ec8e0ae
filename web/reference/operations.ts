import { type DocumentedOperation, type OpenApiDocument, schemaOf } from './document.ts'
import { exampleOf } from './example.ts'
import { type Field, fieldsOf, toField, typeName } from './fields.ts'

export type Operation = {
  /** The fragment of the link to the operation. */
  id: string
  method: string
  path: string
  tag: string
  summary: string
  /** A sentence about who may call the endpoint. */
  access: string
  isPublic: boolean
  inPath: Field[]
  query: Field[]
  inHeader: Field[]
  body: Field[] | undefined
  response: { type: string; fields: Field[]; example: unknown } | undefined
  errors: { status: string; codes: string[] }[]
}

export function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, documented]) => toOperation(method, path, documented)),
  )
}

function toOperation(method: string, path: string, documented: DocumentedOperation): Operation {
  const { summary = '', description = '', tags = [], security = [], requestBody, responses = {} } = documented
  const body = schemaOf(requestBody)
  const response = schemaOf(responses[200])
  return {
    id: `${method}${path.replace(/[^a-z0-9]+/gi, '-')}`.replace(/-$/, ''),
    method,
    path,
    tag: tags[0] ?? 'others',
    summary,
    access: description,
    isPublic: security.length === 0,
    inPath: parameters(documented, 'path'),
    query: parameters(documented, 'query'),
    inHeader: parameters(documented, 'header'),
    body: body && fieldsOf(body),
    response: response && { type: typeName(response), fields: fieldsOf(response), example: exampleOf(response) },
    errors: Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, response]) => ({ status, codes: schemaOf(response)?.['x-error-codes'] ?? [] })),
  }
}

function parameters({ parameters: all = [] }: DocumentedOperation, place: string): Field[] {
  return all
    .filter((parameter) => parameter.in === place)
    .map(({ name, required = false, description, schema }) =>
      toField(name, description === undefined ? schema : { ...schema, description }, required),
    )
}

/** The operations that contain every word of the search in the path, the summary, a field or an error code. */
export function matching(operations: Operation[], search: string): Operation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter((operation) => {
    const text = textOf(operation).toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function textOf({ method, path, summary, access, inPath, query, body = [], response, errors }: Operation): string {
  const fields = [...inPath, ...query, ...body, ...(response?.fields ?? [])]
  const codes = errors.map(({ status, codes }) => `${status} ${codes.join(' ')}`)
  return [method, path, summary, access, ...fields.map(({ name }) => name), ...codes].join(' ')
}
