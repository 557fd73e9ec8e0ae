import type { Operation } from './operations.ts'
import { placeholdersFor } from './placeholders.ts'

/** A shell command that calls the endpoint. Dots replace values that the user fills in. */
export function curlLine(baseUrl: string, operation: Operation): string {
  const { method, path, isPublic, query, body } = operation
  const required = query.filter((field) => field.isRequired).map(({ name }) => `${name}=…`)
  // curl takes braces for a list of values, and would send the name in them.
  const filled = path.replace(/\{\w+\}/g, '…')
  const address = `${baseUrl}${filled}${required.length > 0 ? `?${required.join('&')}` : ''}`
  const credential = isPublic ? [] : ['-H "authorization: Bearer $TOKEN"']
  const json = body ? [`--json '${JSON.stringify(placeholdersFor(body))}'`] : []
  const verb = method === 'post' && !body ? ['-X POST'] : []
  return ['curl', ...verb, `'${address}'`, ...credential, ...json].join(' ')
}
