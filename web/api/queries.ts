import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { authentication } from './authentication.ts'
import { readOpenApi } from './openapi.ts'
import { readInvitation, readLetters, readPasskeysOfReset } from './own-endpoints.ts'
import { listPasskeys } from './passkeys.ts'
import { RequestFailed } from './request-failed.ts'

const MOST_RETRIES = 2

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEndOfSession }),
  mutationCache: new MutationCache({ onError: noticeEndOfSession }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < MOST_RETRIES && isPassing(RequestFailed.from(error)),
    },
  },
})

export type SignedIn = NonNullable<Awaited<ReturnType<typeof authentication.getSession>>>

/** Who is signed in: null when nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => authentication.getSession(),
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => authentication.listSessions(),
})

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: listPasskeys,
})

/** Which passkeys stay when the password is reset with this token. */
export const passkeysOfResetQuery = (token: string) =>
  queryOptions({
    queryKey: ['passkeys of reset', token],
    queryFn: () => readPasskeysOfReset(token),
  })

/** Whether the visitor has a password; if not, they sign in with passkeys. */
export const hasPasswordQuery = queryOptions({
  queryKey: ['has password'],
  queryFn: async () => (await authentication.listAccounts()).some(({ providerId }) => providerId === 'credential'),
})

export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: () => authentication.organization.list(),
})

/** The invitation whose link this browser opened: null when it opened none. An unusable one is an error with its reason. */
export const invitationQuery = queryOptions({
  queryKey: ['invitation'],
  queryFn: readInvitation,
})

export const lettersQuery = queryOptions({
  queryKey: ['letters'],
  queryFn: readLetters,
  refetchInterval: 2_000,
})

/** The same until the service is started anew. */
export const openApiQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: readOpenApi,
  staleTime: Number.POSITIVE_INFINITY,
})

/** Forgets what was known about the visitor: another one may be signed in now, or nobody. */
export function forgetVisitor(): void {
  queryClient.removeQueries()
}

/** The session ended elsewhere, so the pages must not go on as if the visitor were signed in. */
function noticeEndOfSession(error: unknown): void {
  if (RequestFailed.from(error).code === 'UNAUTHORIZED') queryClient.setQueryData(sessionQuery.queryKey, null)
}

function isPassing(failure: RequestFailed): boolean {
  return failure.status === 0 || failure.status >= 500
}
