import { CLIENT_CODE_LENGTH_MAXIMUM, ORGANIZATION_METADATA_BYTES_MAXIMUM } from '../../../core/field-limits.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { JsonObjectField, readJsonObject, toJsonText } from '../../../platform/http/json-object.ts'

export const Metadata = JsonObjectField(
  'an object or its JSON text, 8 KiB at most; tokens of the organization contain its text `client-code`',
)

/** @param field for the error @returns the JSON text to store @throws ApiError VALIDATION_ERROR */
export function parseOrganizationMetadata(
  input: Record<string, unknown> | string | null,
  field: string,
): string | null {
  const metadata = readJsonObject(input, field)
  if (metadata === null) return null
  const code = metadata['client-code'] ?? null
  if (code !== null && (typeof code !== 'string' || code.length > CLIENT_CODE_LENGTH_MAXIMUM)) {
    throw new ApiError('VALIDATION_ERROR', {
      field: `${field}.client-code`,
      message: `${field}.client-code must be text of at most ${CLIENT_CODE_LENGTH_MAXIMUM} characters.`,
    })
  }
  return toJsonText(metadata, { field, bytesMaximum: ORGANIZATION_METADATA_BYTES_MAXIMUM })
}
