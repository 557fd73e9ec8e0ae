import type { Adapter } from 'oidc-provider'
import { findOAuthClient } from '../../../core/oauth-clients/store.ts'
import { toProviderMetadata } from '../grants/client-metadata.ts'
import type { OpenIdContext } from '../grants/openid-context.ts'
import { createAccessTokenAdapter } from './access-token-adapter.ts'
import { createCodeAdapter, createRefreshTokenAdapter } from './consumable-adapter.ts'
import { createDeviceCodeAdapter } from './device-code-adapter.ts'
import { createGrantAdapter } from './grant-adapter.ts'
import { createInteractionAdapter, createPlainAdapter, createReplayAdapter, UNSTORED } from './plain-adapter.ts'
import { createSessionAdapter } from './session-adapter.ts'

/** The library's store: an adapter for each of its models. */
export function createAdapters(context: OpenIdContext): (model: string) => Adapter {
  return (model) => {
    switch (model) {
      case 'Client':
        return createClientAdapter(context)
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
        return createPlainAdapter(context, model)
      default:
        throw new Error(`The provider does not store ${model}`)
    }
  }
}

function createClientAdapter(context: OpenIdContext): Adapter {
  return {
    ...UNSTORED,
    async find(id) {
      // An assertion can name any client, and PostgreSQL refuses NUL.
      const client = id.includes('\0') ? undefined : await findOAuthClient(context.database, id)
      return client && client.disabled === 0 ? toProviderMetadata(client) : undefined
    },
  }
}
