import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Caller } from '../../../core/access/caller.ts'
import { lacksSecondStepForToken } from '../../../core/access/two-step-policy.ts'
import { latestEnd } from '../../../platform/time/is-live.ts'
import { acrRequestOf, idTokenClaimsOf, needsSecondStep } from '../common/acr-request.ts'
import { assertKnownScope } from '../common/assert-known-scope.ts'
import { acrOf } from '../common/claims.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { INTERACTION_SECONDS } from '../common/scopes.ts'
import { isConsentMissing } from './granted-scopes.ts'
import { outcomeOf } from './outcome.ts'
import { needsOrganization, resolveOrganization } from './resolve-organization.ts'

const REPLACED_CHECKS = [
  'login_prompt',
  'max_age',
  'id_token_hint',
  'claims_id_token_sub_value',
  'essential_acrs',
  'essential_acr',
]

/** Asks the user in this order: sign in, choose the organization, second step, consent. */
export function createInteractionPolicy(context: OpenIdContext) {
  const { Check, Prompt, base } = context.library.interactionPolicy
  const policy = base()
  const login = policy.get('login')
  if (!login) throw new Error('The library has no login prompt')
  for (const replaced of REPLACED_CHECKS) login.checks.remove(replaced)
  login.checks.add(
    new Check('sign_in_again', 'the user has to sign in again', 'login_required', (ctx) => {
      assertMayGetCode(context, ctx)
      recordRequest(context, ctx)
      assertMayGoOn(context, ctx)
      return mustSignInAgain(context, ctx)
    }),
  )
  login.checks.add(
    new Check('other_user', 'the user that you ask for is not signed in', 'login_required', (ctx) => isOtherUser(ctx)),
  )
  // The sign-in page asks for the account, too: a browser has one session.
  const selectAccount = new Prompt({ name: 'select_account', requestable: true })
  selectAccount.checks.remove('select_account_prompt')
  policy.add(selectAccount)
  policy.remove('consent')
  policy.add(
    new Prompt(
      { name: 'organization', requestable: false },
      new Check(
        'organization_missing',
        'the user has to choose an organization',
        'interaction_required',
        async (ctx) => needsOrganization(ctx) && !(await resolveOrganization(context, ctx)),
      ),
    ),
  )
  policy.add(
    new Prompt(
      { name: 'second-step', requestable: false },
      new Check('second_step_missing', 'two-step verification is required', 'interaction_required', (ctx) => {
        const isMissing = isSecondStepMissing(context, ctx)
        if (!isMissing) assertAcceptedClass(context, ctx)
        return isMissing
      }),
    ),
  )
  policy.add(
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('consent_missing', 'the user has not allowed this', 'consent_required', (ctx) =>
        isConsentMissing(context, ctx),
      ),
    ),
  )
  policy.get('consent')?.checks.remove('consent_prompt')
  return policy
}

/** The client may have lost the redirect URI, or the grant type of codes, while a page was open. */
function assertMayGetCode({ library }: OpenIdContext, { oidc: { client, params } }: KoaContextWithOIDC): void {
  if (!client?.redirectUriAllowed(String(params?.redirect_uri))) throw new library.errors.InvalidRedirectUri()
  if (!client.responseTypeAllowed('code')) throw new library.errors.UnauthorizedClient()
  assertKnownScope(library, params?.scope)
}

/** Stores the time of the request and the user of its hint. The hint itself is not stored. */
function recordRequest({ now }: OpenIdContext, ctx: KoaContextWithOIDC): void {
  const outcome = outcomeOf(ctx)
  outcome.askedAt ??= now()
  const hinted = ctx.oidc.entities.IdTokenHint?.payload.sub ?? getRequestState().hintedUserId
  if (typeof hinted === 'string') outcome.hintedUserId ??= hinted
}

function assertMayGoOn({ library }: OpenIdContext, ctx: KoaContextWithOIDC): void {
  const { caller } = getRequestState()
  if (outcomeOf(ctx).isRefused) throw new library.errors.AccessDenied('the user did not allow this')
  if (caller && !caller.user.emailVerified)
    throw new library.errors.AccessDenied('the user has not verified the email address of the account')
  if (isOtherUser(ctx) && hasSignedInOnPage(ctx))
    throw new library.errors.LoginRequired('the user that you ask for did not sign in', '')
}

/** An older session is no new sign-in: a browser could hide it until the page is finished. */
function mustSignInAgain({ now }: OpenIdContext, ctx: KoaContextWithOIDC): boolean {
  const { caller } = getRequestState()
  if (!caller) return true
  if (hasSignedInOnPage(ctx)) return false
  const { params, prompts } = ctx.oidc
  const maxAge = params?.max_age === undefined ? undefined : Number(params.max_age)
  const isStale =
    maxAge !== undefined && (isImpersonated(caller) || Math.abs(now() - caller.session.createdAt) > maxAge * 1000)
  return prompts.has('login') || prompts.has('select_account') || isStale
}

function isOtherUser(ctx: KoaContextWithOIDC): boolean {
  const { caller } = getRequestState()
  const { sub } = idTokenClaimsOf(ctx.oidc.params?.claims)
  const requested = [outcomeOf(ctx).hintedUserId, sub?.value].filter((id) => id !== undefined)
  return caller !== null && requested.some((id) => id !== caller.user.id)
}

/** The start of an impersonation is no sign-in of the user. */
function isImpersonated({ session }: Caller): boolean {
  return session.impersonatedBy !== null
}

/** Whether the user signed in on a page of this authorization. */
function hasSignedInOnPage(ctx: KoaContextWithOIDC): boolean {
  const { caller } = getRequestState()
  const { askedAt } = outcomeOf(ctx)
  if (!caller || askedAt === undefined || ctx.oidc.entities.Interaction === undefined) return false
  if (isImpersonated(caller)) return false
  const { createdAt } = caller.session
  // A session from after the end of the page comes from a clock that was ahead, so it may be an older session.
  return createdAt >= askedAt && createdAt <= latestEnd(INTERACTION_SECONDS * 1000, askedAt)
}

function isSecondStepMissing({ config }: OpenIdContext, { oidc }: KoaContextWithOIDC): boolean {
  const { caller, membership } = getRequestState()
  if (!caller) return false
  const isAsked = needsSecondStep(acrRequestOf(oidc.params ?? {}), acrOf(caller.session))
  return isAsked || lacksSecondStepForToken(config, caller, membership?.organization)
}

function assertAcceptedClass({ library }: OpenIdContext, { oidc }: KoaContextWithOIDC): void {
  const { caller } = getRequestState()
  const { isEssential, accepted } = acrRequestOf(oidc.params ?? {})
  if (!caller || !isEssential) return
  const acr = acrOf(caller.session)
  if (!accepted.includes(acr))
    throw new library.errors.UnmetAuthenticationRequirements(`the user signs in with ${acr}, which you do not accept`)
}
