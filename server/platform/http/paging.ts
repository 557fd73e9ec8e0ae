import { Type } from 'typebox'
import { ApiError } from './errors.ts'

const Digits = Type.Optional(Type.String({ pattern: '^[0-9]{1,9}$', description: 'a whole number' }))

export const PageFields = { limit: Digits, offset: Digits }

export interface Page {
  limit: number
  offset: number
}

/** @throws ApiError VALIDATION_ERROR unless the limit is from 1 to the maximum, which is also its default */
export function parsePage(query: { limit?: string; offset?: string }, limitMaximum: number): Page {
  const limit = Number(query.limit ?? limitMaximum)
  if (limit < 1 || limit > limitMaximum) {
    throw new ApiError('VALIDATION_ERROR', { field: 'limit', message: `limit must be from 1 to ${limitMaximum}.` })
  }
  return { limit, offset: Number(query.offset ?? 0) }
}
