import type { Config } from '../config.ts'
import { SERVICE_NAME } from '../service-name.ts'

/** Who passkeys are made for (WebAuthn, section 4): all of it comes from the configuration, nothing from a request. */
export interface RelyingParty {
  id: string
  name: string
  origin: string
}

export function relyingPartyOf({ relyingPartyId, baseUrl }: Config): RelyingParty {
  return { id: relyingPartyId, name: SERVICE_NAME, origin: baseUrl }
}
