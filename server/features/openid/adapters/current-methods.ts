import type { AdapterPayload } from 'oidc-provider'
import { listAuthenticationMethods } from '../../../core/access/second-step.ts'
import { acrOf } from '../common/claims.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { findGrantSubject } from '../grants/grant-subject.ts'

/** The library writes the methods into the ID token, which must not contradict the access token beside it. */
export async function withCurrentMethods(context: OpenIdContext, payload: AdapterPayload): Promise<AdapterPayload> {
  const subject = payload.grantId === undefined ? undefined : await findGrantSubject(context, payload.grantId)
  if (!subject) return payload
  return { ...payload, acr: acrOf(subject.session), amr: listAuthenticationMethods(subject.session) }
}
