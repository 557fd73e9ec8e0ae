import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  ClientOfPage,
  InteractionResponse,
  OrganizationChoice as OrganizationChoiceOnWire,
} from '../../../server/features/openid/interactions/schemas.ts'
import { request } from '../api/request.ts'
import { hasCode } from '../api/request-failed.ts'
import { useInteractionId } from '../routing/interaction-id.ts'
import { nextOrigin } from '../routing/next-origin.ts'

export type OAuthClient = Static<typeof ClientOfPage>
export type OrganizationChoice = Static<typeof OrganizationChoiceOnWire>
export type Interaction = Static<typeof InteractionResponse>

/** Where the browser goes after this page. A native app opens outside of the browser. */
export type Destination = { url: string; name: string; isNative: boolean }

const interactionQuery = (id: string) =>
  queryOptions({
    queryKey: ['interaction', id],
    queryFn: () => request<Interaction>(`/api/auth/oauth2/get-interaction?${new URLSearchParams({ interaction: id })}`),
  })

/** The interaction of this page. Without an app that waits, it has no data and is not loading. */
export function useInteraction() {
  const id = useInteractionId()
  const { data, error, isLoading, refetch } = useQuery({ ...interactionQuery(id ?? ''), enabled: id !== null })
  return { id, data, error, isLoading, refetch }
}

export function isUnknownInteraction(error: unknown): boolean {
  return hasCode(error, 'INTERACTION_NOT_FOUND')
}

/** The app that waits, or the service in `next`, or null. */
export function findDestination(interaction: Interaction | undefined): Destination | null {
  if (interaction) return destinationOf(interaction)
  const next = nextOrigin()
  return next === null ? null : { url: next, name: new URL(next).host, isNative: false }
}

export function destinationOf({ resumeUrl, client, redirectOrigin }: Interaction): Destination {
  const isNative = redirectOrigin !== null && !/^https?:/.test(redirectOrigin)
  return { url: resumeUrl, name: client.name, isNative }
}
