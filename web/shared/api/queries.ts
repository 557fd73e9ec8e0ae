import { MutationCache, QueryCache, QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { GetSessionResponse } from '../../../server/features/account/sessions/schemas.ts'
import type { Settings } from '../../../server/features/brand/schemas.ts'
import type { ReceivedInvitations } from '../../../server/features/organizations/invitations/schemas.ts'
import type { OrganizationList } from '../../../server/features/organizations/organizations/schemas.ts'
import type { ErrorCode } from '../../../server/platform/http/errors.ts'
import { readAllPages } from './read-all-pages.ts'
import { request } from './request.ts'
import { hasCode, RequestFailed } from './request-failed.ts'
import { meansEndOfSession, restoreSession, sessionOfPage, setSessionOfPage } from './session-of-page.ts'

const RETRIES_MAXIMUM = 2

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeFailedQuery }),
  mutationCache: new MutationCache({ onError: noticeRefusal }),
  defaultOptions: {
    // By default, React Query holds the requests of an offline browser back, and sends them later without asking.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      retry: (failures, error) => failures < RETRIES_MAXIMUM && isTemporary(RequestFailed.from(error)),
    },
  },
})

/** After a change, everything that pages show may be different. */
export function refreshPages(): Promise<void> {
  return queryClient.invalidateQueries()
}

export type Caller = NonNullable<Static<typeof GetSessionResponse>>

/** The signed-in user and their session, or null. Every page asks for it, so it does not load the official client. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
})

/** The settings of the service. They change only when it starts again. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: () => request<Static<typeof Settings>>('/api/settings'),
  staleTime: 60_000,
})

/** The organizations of the user. The types of the official client lack the role. */
export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: () =>
    readAllPages((offset) => request<Static<typeof OrganizationList>>(`/api/auth/organization/list?offset=${offset}`)),
})

/** Starts the keys of the overviews of organizations, which tell that the user is no longer a member. */
export const OVERVIEW_KEY = 'organization'

/** The open invitations of the user. The email address of the user must be verified. */
export const receivedInvitationsQuery = queryOptions({
  queryKey: ['received invitations'],
  queryFn: () => request<Static<typeof ReceivedInvitations>>('/api/auth/organization/list-user-invitations'),
})

async function readSession(): Promise<Caller | null> {
  const caller = await fetchCaller()
  if (caller === null && sessionOfPage() !== null) {
    if (await restoreSession()) return fetchCaller()
    leaveSessionOfPage()
  }
  if (caller !== null) setSessionOfPage(caller)
  return caller
}

function fetchCaller(): Promise<Caller | null> {
  return request('/api/auth/get-session')
}

/** The user did not sign in again. Another user may sign in next, and must not see the data of the former one. */
function leaveSessionOfPage(): void {
  // A page that does not need the session asks again for data that is removed, so this happens once.
  if (sessionOfPage() === null) return
  setSessionOfPage(null)
  const [sessionKey] = sessionQuery.queryKey
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey })
}

/** The error UNAUTHORIZED means that the user did not sign in again: the sign-in page follows. */
function noticeEndOfSession(error: unknown): void {
  if (!meansEndOfSession(RequestFailed.from(error).code)) return
  leaveSessionOfPage()
  queryClient.setQueryData(sessionQuery.queryKey, null)
}

/**
 * The user may have lost the role in the service or the membership while the page was open, or the organization was
 * deleted. The page then loads the present state.
 */
function noticeFailedQuery(error: unknown, { queryKey }: { queryKey: QueryKey }): void {
  noticeEndOfSession(error)
  if (hasCode(error, 'FORBIDDEN')) void queryClient.invalidateQueries(sessionQuery)
  if (!hasCode(error, 'ORGANIZATION_NOT_FOUND')) return
  void queryClient.invalidateQueries(organizationsQuery)
  // A failed overview must not load itself again and again.
  if (queryKey[0] !== OVERVIEW_KEY) void queryClient.invalidateQueries({ queryKey: [OVERVIEW_KEY] })
}

/** Refusals of a change that show that the page is outdated. After NO_RESPONSE, the change may have been made. */
const OUTDATED: (ErrorCode | 'NO_RESPONSE')[] = [
  'NO_RESPONSE',
  'ORGANIZATION_NOT_FOUND',
  'FORBIDDEN',
  'METADATA_CHANGED',
  'DELETION_CHANGED',
]

function noticeRefusal(error: unknown): Promise<void> | undefined {
  noticeEndOfSession(error)
  const { code } = RequestFailed.from(error)
  if (!OUTDATED.some((outdated) => outdated === code)) return undefined
  const refreshed = refreshPages()
  // The sentence about this refusal sends the user to what the page shows.
  return code === 'DELETION_CHANGED' ? refreshed : undefined
}

function isTemporary(failure: RequestFailed): boolean {
  return (failure.status === 0 && navigator.onLine) || failure.status >= 500
}

export function isTwoStepRequired(error: unknown): boolean {
  return hasCode(error, 'TWO_FACTOR_REQUIRED')
}
