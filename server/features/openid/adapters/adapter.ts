import type { Adapter } from 'oidc-provider'
import type { GuardedFetch } from '../../../platform/http/guarded-fetch.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { createAccessTokenAdapter } from './access-token-adapter.ts'
import { createClientAdapter } from './client-adapter.ts'
import { createCodeAdapter } from './consumable-adapter.ts'
import { createDeviceCodeAdapter } from './device-code-adapter.ts'
import { createGrantAdapter } from './grant-adapter.ts'
import { createInteractionAdapter, createReplayAdapter } from './plain-adapter.ts'
import { createPushedRequestAdapter } from './pushed-request-adapter.ts'
import { createRefreshTokenAdapter } from './refresh-token-adapter.ts'
import { createSessionAdapter } from './session-adapter.ts'

export function createAdapters(context: OpenIdContext, fetch: GuardedFetch): (model: string) => Adapter {
  return (model) => {
    switch (model) {
      case 'Client':
        return createClientAdapter(context, fetch)
      case 'Session':
        return createSessionAdapter(context)
      case 'Grant':
        return createGrantAdapter(context)
      case 'AccessToken':
      case 'ClientCredentials':
        return createAccessTokenAdapter(context, model)
      case 'AuthorizationCode':
        return createCodeAdapter(context)
      case 'RefreshToken':
        return createRefreshTokenAdapter(context)
      case 'DeviceCode':
        return createDeviceCodeAdapter(context)
      case 'Interaction':
        return createInteractionAdapter(context)
      case 'ReplayDetection':
        return createReplayAdapter(context)
      case 'PushedAuthorizationRequest':
        return createPushedRequestAdapter(context)
      default:
        throw new Error(`The provider does not store ${model}`)
    }
  }
}
