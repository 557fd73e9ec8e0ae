import { ApiError } from '../../platform/http/errors.ts'
import { toJsonText } from '../../platform/http/json-object.ts'
import { createReservedNames } from '../../platform/http/reserved-names.ts'
import { LINE_PATTERN } from '../../platform/http/schemas.ts'
import { USER_FIELDS } from './schemas.ts'

const BYTES_MAXIMUM = 8_192
export const PROPERTY_NAME_LENGTH_MAXIMUM = 64
/** For the names of fields in an audit event, because staff choose those of custom properties. */
const FIELDS_LENGTH_MAXIMUM = 1_000
const NAME = new RegExp(LINE_PATTERN, 'u')
export const isReservedName = createReservedNames([
  ...USER_FIELDS,
  ...['password', 'passwordHash', 'properties', 'token', 'userId', 'sessions', 'accounts', 'passkeys'],
])

/** @param changes null removes a property @throws ApiError VALIDATION_ERROR */
export function changeProperties(stored: string, changes: Record<string, unknown>): string {
  for (const name of Object.keys(changes)) assertName(name)
  const properties = Object.entries({ ...(JSON.parse(stored) as Record<string, unknown>), ...changes })
  const remaining = Object.fromEntries(properties.filter(([, value]) => value !== null))
  return toJsonText(remaining, { field: 'data', bytesMaximum: BYTES_MAXIMUM })
}

export function joinFieldNames(names: string[]): string {
  return names.join(', ').slice(0, FIELDS_LENGTH_MAXIMUM)
}

function assertName(name: string): void {
  if (name.length > 0 && name.length <= PROPERTY_NAME_LENGTH_MAXIMUM && NAME.test(name)) return
  const message = `The name of a custom property must be one line of 1 to ${PROPERTY_NAME_LENGTH_MAXIMUM} characters.`
  throw new ApiError('VALIDATION_ERROR', { field: 'data', message })
}
