import type { UnknownObject } from 'oidc-provider'
import { acrRequestOf, idTokenClaimsOf } from '../common/acr-request.ts'
import type { Library } from '../common/openid-context.ts'
import { TWO_STEP } from '../common/scopes.ts'

/** The page for devices starts no new sign-in, and does not know which user the client means. */
const REFUSED = ['id_token_hint', 'max_age']

/**
 * Requirements that the page can meet, such as a second step, are checked at the approval.
 * @param form with the parameters that the library drops
 * @throws InvalidRequest, UnmetAuthenticationRequirements
 */
export function assertDeviceParameters({ errors }: Library, form: UnknownObject): void {
  const refused = REFUSED.find((name) => form[name])
  if (refused !== undefined)
    throw new errors.InvalidRequest(`a request of a device can't have ${refused}: leave it out`)
  const prompts = String(form.prompt ?? '').split(' ')
  if (prompts.some((prompt) => !['', 'consent'].includes(prompt)))
    throw new errors.InvalidRequest('on a device, prompt can only be consent: the page starts no new sign-in')
  const { sub } = idTokenClaimsOf(form.claims)
  if (sub?.value !== undefined)
    throw new errors.InvalidRequest("a device can't ask for a certain user: leave sub out of the claims")
  const { accepted, isEssential } = acrRequestOf(form)
  if (isEssential && !accepted.includes(TWO_STEP))
    throw new errors.UnmetAuthenticationRequirements(`on a device, an essential acr can only be ${TWO_STEP}`)
}
