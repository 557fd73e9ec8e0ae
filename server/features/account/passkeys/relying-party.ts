import type { Config } from '../../../platform/config/config.ts'

/** WebAuthn, section 4. Comes from the configuration, and never from a request. */
export interface RelyingParty {
  id: string
  name: string
  origin: string
}

export function relyingPartyOf({ relyingPartyId, baseUrl, brand }: Config): RelyingParty {
  return { id: relyingPartyId, name: brand.name, origin: baseUrl }
}
