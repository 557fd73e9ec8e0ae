import type { Config } from '../../../platform/config/config.ts'
import { SERVICE_NAME } from '../../../platform/config/service-name.ts'

/** WebAuthn, section 4. It comes from the configuration, and never from a request. */
export interface RelyingParty {
  id: string
  name: string
  origin: string
}

export function relyingPartyOf({ relyingPartyId, baseUrl }: Config): RelyingParty {
  return { id: relyingPartyId, name: SERVICE_NAME, origin: baseUrl }
}
