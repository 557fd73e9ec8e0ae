import { SESSION_MILLISECONDS_MAXIMUM } from '../../../core/sessions/lifetimes.ts'

export const CLAIMS_OF_SCOPES = {
  openid: ['sub', 'amr', 'auth_time', 'acr', 'act'],
  profile: ['name', 'picture', 'updated_at'],
  email: ['email', 'email_verified'],
  organization: ['org_id', 'org_slug', 'org_role', 'org_meta', 'is_staff'],
}

/** Authentication context classes: how many steps the sign-in had. */
export const ONE_STEP = 'urn:accounts:one-step'
export const TWO_STEP = 'urn:accounts:two-step'

export const ACCESS_TOKEN_SECONDS = 900
export const CODE_SECONDS = 60
export const DEVICE_CODE_SECONDS = 600
/** The pause between two polls of a device, which is the default of RFC 8628, section 3.2. */
export const DEVICE_INTERVAL_SECONDS = 5
/** Refresh tokens end with their session. */
export const REFRESH_TOKEN_SECONDS = SESSION_MILLISECONDS_MAXIMUM / 1000
/** The time between the request of the client and the last of its pages. */
export const INTERACTION_SECONDS = 3_600
