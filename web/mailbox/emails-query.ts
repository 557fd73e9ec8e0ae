import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { StoredEmails } from '../../server/features/dev-mailbox/schemas.ts'
import { request } from '../shared/api/request.ts'

export type Email = Static<typeof StoredEmails>['emails'][number]

export const emailsQuery = queryOptions({
  queryKey: ['emails'],
  queryFn: async () => (await request<Static<typeof StoredEmails>>('/dev/mailbox/emails')).emails,
  refetchInterval: 2_000,
})
