import type { default as Provider } from 'oidc-provider'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'

/**
 * Gives no ID token to a grant that has lost `openid`. The library looks at the scopes of the code or refresh token, and
 * would issue one without `sub`, which clients refuse together with the access token beside it.
 */
export function issueIfOpenId({ IdToken }: Provider): void {
  const { issue } = IdToken.prototype
  Object.assign(IdToken.prototype, {
    issue(this: { scope?: string }, options: Parameters<typeof issue>[0]): Promise<string> | undefined {
      if (options.use === 'idtoken' && !splitScopes(this.scope).includes('openid')) return undefined
      return issue.call(this, options)
    },
  })
}
