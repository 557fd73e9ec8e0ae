import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Settings } from '../../../server/features/brand/schemas.ts'
import { authentication } from './authentication.ts'
import { request } from './request.ts'
import { RequestFailed } from './request-failed.ts'

const MOST_RETRIES = 2

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEndOfSession }),
  mutationCache: new MutationCache({ onError: noticeEndOfSession }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < MOST_RETRIES && isTemporary(RequestFailed.from(error)),
    },
  },
})

export type Caller = NonNullable<Awaited<ReturnType<typeof authentication.getSession>>>

/** The signed-in user and their session, or null. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => authentication.getSession(),
})

/** The settings of the service. They change only when it starts again. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: () => request<Static<typeof Settings>>('/api/settings'),
  staleTime: 60_000,
})

/** The organizations of the user. */
export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: () => authentication.organization.list(),
})

/** The open invitations of the user. The email address of the user must be verified. */
export const receivedInvitationsQuery = queryOptions({
  queryKey: ['received invitations'],
  queryFn: () => authentication.organization.listUserInvitations(),
})

/** Data of the previous user must not be shown after signing in or out. */
export function clearQueries(): void {
  queryClient.removeQueries()
}

/** The session may end elsewhere: the pages then show the sign-in page. */
function noticeEndOfSession(error: unknown): void {
  if (RequestFailed.from(error).code === 'UNAUTHORIZED') queryClient.setQueryData(sessionQuery.queryKey, null)
}

function isTemporary(failure: RequestFailed): boolean {
  return failure.status === 0 || failure.status >= 500
}
