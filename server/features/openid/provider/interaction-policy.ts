import type { KoaContextWithOIDC } from 'oidc-provider'
import { lacksSecondStepForToken } from '../../../core/access/two-step-policy.ts'
import { latestEnd } from '../../../platform/time/is-live.ts'
import { acrRequestOf, needsSecondStep } from '../grants/acr-request.ts'
import { assertKnownScope } from '../grants/assert-known-scope.ts'
import { acrOf } from '../grants/claims.ts'
import type { OpenIdContext } from '../grants/openid-context.ts'
import { getRequestState } from '../grants/request-state.ts'
import { INTERACTION_SECONDS } from '../grants/scopes.ts'
import { isConsentMissing } from './granted-scopes.ts'
import { outcomeOf } from './outcome.ts'
import { needsOrganization, resolveOrganization } from './resolve-organization.ts'

/** Asks the user in this order: sign in, choose the organization, second step, consent. */
export function createInteractionPolicy(context: OpenIdContext) {
  const { Check, Prompt, base } = context.library.interactionPolicy
  const policy = base()
  const login = policy.get('login')
  if (!login) throw new Error('The library has no login prompt')
  for (const replaced of ['login_prompt', 'max_age', 'essential_acrs', 'essential_acr']) login.checks.remove(replaced)
  login.checks.add(
    new Check('sign_in_again', 'the user has to sign in again', 'login_required', (ctx) =>
      mustSignInAgain(context, ctx),
    ),
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
      new Check('second_step_missing', 'two-step verification is required', 'interaction_required', (ctx) =>
        isSecondStepMissing(context, ctx),
      ),
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

/**
 * After `prompt=login` or `select_account`, or a `max_age` that has passed, the page must start a new session. An older
 * session does not count: a browser could hide an old session until the page is finished.
 */
function mustSignInAgain(context: OpenIdContext, ctx: KoaContextWithOIDC): boolean {
  assertMayGetCode(context, ctx)
  const { library, now } = context
  const { caller } = getRequestState()
  const { entities, params, prompts } = ctx.oidc
  assertKnownScope(library, params?.scope)
  const outcome = outcomeOf(ctx)
  outcome.askedAt ??= now()
  const hinted = entities.IdTokenHint?.payload.sub
  if (typeof hinted === 'string') outcome.hintedUserId ??= hinted
  if (!caller) return true
  if (!caller.user.emailVerified)
    throw new library.errors.AccessDenied('the user has not verified the email address of the account')
  const { createdAt } = caller.session
  // A session that is later than the page can be comes from a clock that was ahead, so it may be an older one.
  const isNewer = createdAt >= outcome.askedAt && createdAt <= latestEnd(INTERACTION_SECONDS * 1000, outcome.askedAt)
  const hasSignedIn = entities.Interaction !== undefined && isNewer
  const isOther = outcome.hintedUserId !== undefined && outcome.hintedUserId !== caller.user.id
  if (isOther && hasSignedIn)
    throw new library.errors.LoginRequired('the user of the id_token_hint did not sign in', '')
  if (isOther) return true
  if (hasSignedIn) return false
  const maxAge = params?.max_age === undefined ? undefined : Number(params.max_age)
  const isStale = maxAge !== undefined && Math.abs(now() - createdAt) > maxAge * 1000
  return prompts.has('login') || prompts.has('select_account') || isStale
}

/**
 * The client may have lost the redirect URI, or the grant type of codes, while a page was open.
 * @throws InvalidRedirectUri, UnauthorizedClient
 */
function assertMayGetCode({ library }: OpenIdContext, { oidc: { client, params } }: KoaContextWithOIDC): void {
  if (!client?.redirectUriAllowed(String(params?.redirect_uri))) throw new library.errors.InvalidRedirectUri()
  if (!client.responseTypeAllowed('code')) throw new library.errors.UnauthorizedClient()
}

/** A second step is required by a policy, or by the client's `acr`. @throws UnmetAuthenticationRequirements */
function isSecondStepMissing({ config, library }: OpenIdContext, { oidc }: KoaContextWithOIDC): boolean {
  const { caller, membership } = getRequestState()
  if (!caller) return false
  const request = acrRequestOf(oidc.params ?? {})
  const acr = acrOf(caller.session)
  if (needsSecondStep(request, acr) || lacksSecondStepForToken(config, caller, membership?.organization)) return true
  if (request.isEssential && !request.accepted.includes(acr))
    throw new library.errors.UnmetAuthenticationRequirements(`the user signs in with ${acr}, which you do not accept`)
  return false
}
