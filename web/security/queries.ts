import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Apps } from '../../server/features/account/apps/schemas.ts'
import type { DeletionPreview } from '../../server/features/account/deletion/schemas.ts'
import type { ListSecurityEventsResponse } from '../../server/features/account/security-events/schemas.ts'
import type { SessionList } from '../../server/features/account/sessions/schemas.ts'
import type { ImpersonationList } from '../../server/features/staff/impersonation/schemas.ts'
import { authentication } from '../shared/api/authentication.ts'
import { request } from '../shared/api/request.ts'

const EVENTS_PER_PAGE = 10

export type App = Static<typeof Apps>[number]
export type Session = Static<typeof SessionList>[number]
export type SecurityEvent = Static<typeof ListSecurityEventsResponse>['events'][number]
export type Impersonation = Static<typeof ImpersonationList>[number]

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => request<Session[]>('/api/auth/list-sessions'),
})

/** The account with the password, or null: a user may sign in with passkeys alone. */
export const passwordQuery = queryOptions({
  queryKey: ['password'],
  queryFn: async () => {
    const accounts = await authentication.listAccounts()
    return accounts.find(({ providerId }) => providerId === 'credential') ?? null
  },
})

export const hasPasswordQuery = queryOptions({ ...passwordQuery, select: (password) => password !== null })

/** What happened to the account in the last 90 days, newest first. */
export const securityEventsQuery = infiniteQueryOptions({
  queryKey: ['security events'],
  queryFn: ({ pageParam }) => {
    const page = new URLSearchParams({ limit: String(EVENTS_PER_PAGE), offset: String(pageParam) })
    return request<Static<typeof ListSecurityEventsResponse>>(`/api/auth/list-security-events?${page}`)
  },
  initialPageParam: 0,
  getNextPageParam: ({ hasMore, offset, limit }) => (hasMore ? offset + limit : undefined),
})

export const impersonationsQuery = queryOptions({
  queryKey: ['impersonations'],
  queryFn: () => request<Impersonation[]>('/api/auth/list-impersonations'),
})

export const deletionPreviewQuery = queryOptions({
  queryKey: ['deletion preview'],
  queryFn: () => request<Static<typeof DeletionPreview>>('/api/auth/delete-user/preview'),
  staleTime: 0,
})

export const appsQuery = queryOptions({
  queryKey: ['apps with access'],
  queryFn: () => request<App[]>('/api/auth/oauth2/list-apps'),
})
