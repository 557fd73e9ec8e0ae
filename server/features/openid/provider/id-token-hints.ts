import { decodeProtectedHeader } from 'jose'
import type { Client, default as Provider } from 'oidc-provider'
import { SIGNING_ALGORITHMS } from '../../../core/oauth-clients/metadata.ts'

/**
 * Accepts ID tokens of each of our algorithms as hints. The library accepts only the current algorithm of the client.
 * Then a change of it would break the log-out of every user who has signed in before.
 */
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
