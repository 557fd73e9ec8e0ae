import { queryOptions } from '@tanstack/react-query'
import { request } from '../shared/api/request.ts'

export type Email = { id: string; to: string; subject: string; text: string; html: string; createdAt: string }

export const emailsQuery = queryOptions({
  queryKey: ['emails'],
  queryFn: async () => (await request<{ letters: Email[] }>('/dev/mailbox/letters')).letters,
  refetchInterval: 2_000,
})
