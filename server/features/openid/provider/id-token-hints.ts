import { decodeProtectedHeader } from 'jose'
import type { Client, default as Provider } from 'oidc-provider'
import { SIGNING_ALGORITHMS } from '../../../core/oauth-clients/metadata.ts'

/** The library accepts only the client's current algorithm. A change would break the log-out of earlier sign-ins. */
export function acceptFormerAlgorithms({ IdToken }: Provider): void {
  const { validate } = IdToken
  Object.assign(IdToken, {
    async validate(hint: string, { clientId, idTokenSignedResponseAlg }: Client) {
      const { alg } = decodeProtectedHeader(hint)
      const algorithm = SIGNING_ALGORITHMS.find((name) => name === alg) ?? idTokenSignedResponseAlg
      return validate(hint, { clientId, idTokenSignedResponseAlg: algorithm } as Client)
    },
  })
}
