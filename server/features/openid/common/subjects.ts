import type { Membership } from '../../../core/access/access.ts'
import type { AuthenticatedSession } from '../../../core/access/caller.ts'
import type { OAuthGrantRow } from '../../../platform/database/tables.ts'
import type { SessionOfToken } from './claims.ts'

/** The session has no stronger methods than at the time of the token. */
export interface CurrentSubject extends AuthenticatedSession {
  session: SessionOfToken
  membership: Membership | undefined
}

export interface GrantSubject extends CurrentSubject {
  grant: OAuthGrantRow
}
