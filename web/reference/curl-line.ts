import type { Operation } from './operations.ts'

/** A shell command that calls the endpoint. Dots replace values that the user fills in. */
export function curlLine(baseUrl: string, operation: Operation): string {
  const { method, path, isPublic, query, body } = operation
  const required = query.filter((field) => field.isRequired).map(({ name }) => `${name}=…`)
  const address = `${baseUrl}${path}${required.length > 0 ? `?${required.join('&')}` : ''}`
  const credential = isPublic ? [] : ['-H "authorization: Bearer $TOKEN"']
  const json = body ? [`--json '${JSON.stringify(example(body))}'`] : []
  const verb = method === 'post' && !body ? ['-X POST'] : []
  return ['curl', ...verb, `'${address}'`, ...credential, ...json].join(' ')
}

function example(fields: Operation['query']): Record<string, unknown> {
  return Object.fromEntries(
    fields.filter((field) => field.isRequired).map(({ name, type }) => [name, placeholder(type)]),
  )
}

function placeholder(type: string): unknown {
  if (type === 'boolean') return true
  if (type === 'number' || type === 'integer') return 1
  if (type === 'object') return {}
  return type.startsWith('array') ? [] : '…'
}
