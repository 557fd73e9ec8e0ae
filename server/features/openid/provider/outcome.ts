import type { KoaContextWithOIDC } from 'oidc-provider'

/** The library stores these answers of the user with the interaction. */
export interface Outcome {
  /** When the client sent the browser here, in epoch milliseconds. */
  askedAt?: number
  hintedUserId?: string
  organization?: { userId: string; id: string }
  isRefused?: boolean
  consent?: { userId: string; scopes: string[]; organizationId: string | null }
}

/** The answers so far. They are stored as `result`, which the library passes to the next page of the authorization. */
export function outcomeOf({ oidc }: KoaContextWithOIDC): Outcome {
  const outcome = { ...oidc.entities.Interaction?.lastSubmission, ...oidc.result }
  Object.assign(oidc, { result: outcome })
  return outcome as object
}
