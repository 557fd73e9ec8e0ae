import { readJsonObject, toJsonText } from '../../../platform/http/json-object.ts'

const BYTES_MAXIMUM = 4_096

/** @returns the JSON text to store @throws ApiError VALIDATION_ERROR */
export function parseApiKeyMetadata(input: Record<string, unknown> | string | null): string | null {
  const metadata = readJsonObject(input, 'metadata')
  return metadata && toJsonText(metadata, { field: 'metadata', bytesMaximum: BYTES_MAXIMUM })
}
