import { ApiError } from '../../platform/http/errors.ts'
import { toJsonText } from '../../platform/http/json-object.ts'
import { LINE_PATTERN } from '../../platform/http/schemas.ts'
import { USER_FIELDS } from './schemas.ts'

const BYTES_MAXIMUM = 8_192
const NAME_LENGTH_MAXIMUM = 64
const NAME = new RegExp(LINE_PATTERN, 'u')
/** Names that have a meaning on the wire. A custom property of such a name would mislead clients. */
const RESERVED = new Set(
  [...USER_FIELDS, 'password', 'passwordHash', 'properties', 'token', 'userId', 'sessions', 'accounts', 'passkeys'].map(
    (name) => name.toLowerCase(),
  ),
)

/** True also for the names of JavaScript's objects (prototype pollution), and in upper case: clients may ignore case. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name.toLowerCase()) || name in Object.prototype
}

/**
 * Custom properties of a user after a change; null removes one.
 * @param stored the JSON text of an object
 * @throws ApiError VALIDATION_ERROR
 */
export function changeProperties(stored: string, changes: Record<string, unknown>): string {
  for (const name of Object.keys(changes)) assertName(name)
  const properties = Object.entries({ ...(JSON.parse(stored) as Record<string, unknown>), ...changes })
  const remaining = Object.fromEntries(properties.filter(([, value]) => value !== null))
  return toJsonText(remaining, { field: 'data', bytesMaximum: BYTES_MAXIMUM })
}

function assertName(name: string): void {
  if (name.length > 0 && name.length <= NAME_LENGTH_MAXIMUM && NAME.test(name)) return
  const message = `The name of a custom property must be one line of 1 to ${NAME_LENGTH_MAXIMUM} characters.`
  throw new ApiError('VALIDATION_ERROR', { field: 'data', message })
}
