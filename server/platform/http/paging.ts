import { Type } from 'typebox'
import { ApiError } from './errors.ts'

const digits = (description: string) => Type.Optional(Type.String({ pattern: '^[0-9]{1,9}$', description }))

/** The first page is the longest one. `parsePage` gets the same maximum. */
export function pageFields(limitMaximum: number) {
  return { limit: digits(`1 to ${limitMaximum}; default ${limitMaximum}`), offset: digits('a whole number') }
}

/** The first page is short, so that it is fast. */
export const ListPageFields = {
  limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)$', description: '1 to 500' })),
  offset: Type.Optional(Type.String({ pattern: '^[0-9]{1,6}$', description: '0 to 999999' })),
}

export const CountedPageFields = {
  total: Type.Integer({ description: 'on all pages' }),
  limit: Type.Integer(),
  offset: Type.Integer(),
}

export const UncountedPageFields = { limit: Type.Integer(), offset: Type.Integer(), hasMore: Type.Boolean() }

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

export function parseListPage({ limit = '50', offset = '0' }: { limit?: string; offset?: string }): Page {
  return { limit: Number(limit), offset: Number(offset) }
}

/** Reads one row more than the page has, because a count of all rows would be slow. */
export async function readUncountedPage<Row>(
  { limit, offset }: Page,
  read: (page: Page) => Promise<Row[]>,
): Promise<{ rows: Row[]; hasMore: boolean }> {
  const found = await read({ limit: limit + 1, offset })
  return { rows: found.slice(0, limit), hasMore: found.length > limit }
}
