import type { default as Provider } from 'oidc-provider'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'

type IdToken = InstanceType<Provider['IdToken']> & { scope?: string }
type Issue = IdToken['issue']

export function adaptIdTokens({ IdToken }: Provider): void {
  const { issue } = IdToken.prototype as { issue: Issue }
  Object.assign(IdToken.prototype, {
    issue(this: IdToken, options: Parameters<Issue>[0]): Promise<string> | undefined {
      if (options.use !== 'idtoken') return issue.call(this, options)
      // The library looks at the scopes of the code or refresh token. For a grant that has lost `openid`, it would issue
      // an ID token without `sub`, which clients refuse together with the access token beside it.
      if (!splitScopes(this.scope).includes('openid')) return undefined
      // The nonce is for the response to the authorization request only (OpenID Connect Core 1.0, section 12.2).
      if (this.ctx.oidc.params?.grant_type === 'refresh_token') delete this.extra.nonce
      return issue.call(this, options)
    },
  })
}
