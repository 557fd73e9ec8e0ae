import { Type } from 'typebox'
import { ApiError } from './errors.ts'

/** Deeper nesting would overflow the stack of `JSON.stringify`. */
const DEPTH_MAXIMUM = 32

interface Bounds {
  field: string
  bytesMaximum: number
}

/** An object, its JSON text as responses contain it, or null. */
export const JsonObjectField = (description: string) =>
  Type.Unsafe<Record<string, unknown> | string | null>({ type: ['object', 'string', 'null'], description })

/** @throws ApiError VALIDATION_ERROR */
export function readJsonObject(
  input: Record<string, unknown> | string | null,
  field: string,
): Record<string, unknown> | null {
  const value = typeof input === 'string' ? parseText(input, field) : input
  if (value === null) return null
  if (typeof value !== 'object' || Array.isArray(value)) throw notAnObject(field)
  return value as Record<string, unknown>
}

/** @throws ApiError VALIDATION_ERROR when the object is too large or too deeply nested */
export function toJsonText(object: Record<string, unknown>, { field, bytesMaximum }: Bounds): string {
  if (!hasSafeStructure(object)) {
    throw new ApiError('VALIDATION_ERROR', {
      field,
      message: `${field} must be nested at most ${DEPTH_MAXIMUM} levels deep, without a property named __proto__.`,
    })
  }
  const text = JSON.stringify(object)
  if (Buffer.byteLength(text) > bytesMaximum) {
    const message = `${field} must be at most ${bytesMaximum} bytes of JSON.`
    throw new ApiError('VALIDATION_ERROR', { field, message })
  }
  return text
}

function parseText(text: string, field: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw notAnObject(field)
  }
}

function notAnObject(field: string): ApiError {
  return new ApiError('VALIDATION_ERROR', { field, message: `${field} must be an object, or the JSON text of one.` })
}

export function hasSafeStructure(value: unknown, levels = DEPTH_MAXIMUM): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0 || Object.hasOwn(value, '__proto__')) return false
  return Object.values(value).every((part) => hasSafeStructure(part, levels - 1))
}
