import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { LinkDescription } from '../../../server/features/account/links/schemas.ts'
import { request } from './request.ts'

export type Link = Static<typeof LinkDescription>

/** The email addresses of an emailed link. The link stays usable. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ['link', token],
    queryFn: () => request<Link>('/api/links/describe', { token }),
  })
