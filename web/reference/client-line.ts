import type { Operation } from './operations.ts'
import { placeholdersFor } from './placeholders.ts'

const PREFIX = '/api/auth/'

/** The client runs the two steps of a WebAuthn ceremony itself. */
const CEREMONIES: Record<string, string> = {
  'passkey/generate-register-options': 'authClient.passkey.addPasskey({ name: "…" })',
  'passkey/verify-registration': 'authClient.passkey.addPasskey({ name: "…" })',
  'passkey/generate-authenticate-options': 'authClient.signIn.passkey()',
  'passkey/verify-authentication': 'authClient.signIn.passkey()',
}

/** The client sends these calls as POST, although they have no body. Without a body, it sends other calls as GET. */
const POSTED_WITHOUT_BODY = [
  'sign-out',
  'revoke-sessions',
  'revoke-other-sessions',
  'delete-user',
  'admin/stop-impersonating',
]

/** The call with the official client. Undefined for an endpoint that the client has no function for. */
export function clientLine(operation: Operation): string | undefined {
  const { path, inPath } = operation
  if (!path.startsWith(PREFIX) || inPath.length > 0) return undefined
  const ownPath = path.slice(PREFIX.length)
  const call = ownPath.split('/').map(toCamelCase).join('.')
  return CEREMONIES[ownPath] ?? `authClient.${call}(${toArgument(operation, ownPath)})`
}

function toArgument({ method, query, body = [] }: Operation, ownPath: string): string {
  if (method === 'get') {
    const parameters = placeholdersFor(query)
    return isEmpty(parameters) ? '' : toLiteral({ query: parameters })
  }
  const fields = placeholdersFor(body)
  if (!isEmpty(fields)) return toLiteral(fields)
  return POSTED_WITHOUT_BODY.includes(ownPath) ? '' : toLiteral({ fetchOptions: { method: 'POST' } })
}

function toLiteral(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  if (isEmpty(value)) return '{}'
  const fields = Object.entries(value).map(([name, field]) => `${toName(name)}: ${toLiteral(field)}`)
  return `{ ${fields.join(', ')} }`
}

function toName(text: string): string {
  return /^[a-z_$][\w$]*$/i.test(text) ? text : JSON.stringify(text)
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}

function toCamelCase(segment: string): string {
  return segment.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
