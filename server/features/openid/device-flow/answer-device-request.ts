import type { Kysely } from 'kysely'
import type { AdapterPayload } from 'oidc-provider'
import type { Membership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { listAuthenticationMethods } from '../../../core/access/second-step.ts'
import { assertHasSecondStep, assertSecondStep } from '../../../core/access/two-step-policy.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { findMembership } from '../../../core/memberships/find-membership.ts'
import { lockOAuthClientForShare } from '../../../core/oauth-clients/store.ts'
import { saveConsent, toAllowed } from '../../../core/oauth-consents/store.ts'
import { listOrganizationsOf } from '../../../core/organizations/store.ts'
import { lockUserForShare } from '../../../core/users/lock-user.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { lockArtifactForUpdate, updateArtifact } from '../adapters/store.ts'
import { acrRequestOf, needsSecondStep } from '../common/acr-request.ts'
import { acrOf, authTimeOf } from '../common/claims.ts'
import { REFRESH_TOKEN_SECONDS } from '../common/scopes.ts'
import { type GrantIds, insertNewGrant, lockGrantOwner } from '../grants/insert-new-grant.ts'
import { type DeviceRequest, type EnteredCode, getDeviceRequest } from './device-request.ts'

interface Approval {
  userCode: string
  organizationId: string | undefined
}

/**
 * RFC 8628, section 3.3. @throws ApiError DEVICE_CODE_NOT_FOUND; ORGANIZATION_NOT_FOUND; NO_ACTIVE_ORGANIZATION;
 *   TWO_FACTOR_REQUIRED; UNAUTHORIZED; OAUTH_CLIENT_NOT_FOUND; OAUTH_CONSENT_LIMIT_REACHED
 */
export async function approveDeviceRequest(
  context: Context,
  actor: Actor,
  caller: Caller,
  { userCode, organizationId }: Approval,
): Promise<void> {
  const { database, config, now } = context
  const { user, session } = caller
  const entered = { userCode, userId: user.id }
  const request = await getDeviceRequest(database, entered, now())
  const membership = await resolveMembershipFor(context, caller, request, organizationId)
  assertSecondStep(config, caller, membership?.organization)
  if (needsSecondStep(acrRequestOf(request.payload.params ?? {}), acrOf(session))) assertHasSecondStep(config, session)
  const clientId = request.client.id

  await inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const organizationId = membership?.organization.id ?? null
    // Users, organizations, sessions, clients, codes: a ban and the deletion of a client lock them in this order too.
    if (!(await lockUserForShare(transaction, user.id))) throw new ApiError('UNAUTHORIZED')
    await lockGrantOwner(transaction, { organizationId, userId: user.id, session })
    const { skipConsent } = await lockOAuthClientForShare(transaction, clientId)
    const { row, payload, scopes, resources } = await lockPending(unit, request, entered)
    const granted = resources.length === 0 ? [config.baseUrl] : resources
    if (skipConsent === 0) await saveConsent(unit, { userId: user.id, clientId, ...toAllowed(scopes, organizationId) })
    const grant = await insertNewGrant(unit, 'oauth-client.signed-in', {
      clientId,
      userId: user.id,
      session,
      organizationId,
      scopes: scopes.join(' '),
      resources: JSON.stringify(granted),
      expiresAt: now() + REFRESH_TOKEN_SECONDS * 1000,
    })
    const approved = { ...payload, ...approvalOf(caller, grant, { scopes, resources: granted }) }
    await updateArtifact(transaction, row.idHash, { payload: JSON.stringify(approved), grantId: grant.id })
  })
}

function approvalOf(
  { user, session }: Caller,
  { id: grantId, sid }: GrantIds,
  { scopes, resources }: { scopes: string[]; resources: string[] },
): AdapterPayload {
  return {
    accountId: user.id,
    grantId,
    sid,
    sessionUid: session.id,
    scope: scopes.join(' '),
    resource: resources.length === 1 ? resources[0] : resources,
    acr: acrOf(session),
    amr: listAuthenticationMethods(session),
    authTime: authTimeOf(session),
  }
}

/** @throws ApiError DEVICE_CODE_NOT_FOUND */
export async function denyDeviceRequest(context: Context, actor: Actor, entered: EnteredCode): Promise<void> {
  const request = await getDeviceRequest(context.database, entered, context.now())
  await inTransaction(context, actor, async (unit) => {
    const { row, payload } = await lockPending(unit, request, entered)
    const error = { error: 'access_denied', errorDescription: 'the user refused the device' }
    const denied = { ...payload, accountId: entered.userId, ...error }
    await updateArtifact(unit.transaction, row.idHash, { payload: JSON.stringify(denied) })
    const { id: clientId, name } = request.client
    await unit.record({ action: 'oauth-device.denied', details: { clientId, name } })
  })
}

/** Locks the request of the device: of two concurrent answers, the second is refused. */
async function lockPending(
  { transaction, context }: UnitOfWork,
  { row }: DeviceRequest,
  entered: EnteredCode,
): Promise<DeviceRequest> {
  await lockArtifactForUpdate(transaction, row.idHash)
  const locked = await getDeviceRequest(transaction, entered, context.now())
  if (locked.status !== 'pending') throw new ApiError('DEVICE_CODE_NOT_FOUND')
  return locked
}

async function getOnlyOrganizationId(database: Kysely<Tables>, userId: string): Promise<string> {
  const [first, ...others] = await listOrganizationsOf(database, userId, { limit: 2, offset: 0 })
  if (first && others.length === 0) return first.id
  throw new ApiError('NO_ACTIVE_ORGANIZATION', { message: 'Choose the organization for which the device gets access.' })
}

/** The chosen organization must also be the owner of the client and the named one, if they exist (CVE-2024-38371). */
async function resolveMembershipFor(
  { database }: Context,
  { user }: Caller,
  { client: { organizationId: ownerId }, scopes, organizationSlug: slug }: DeviceRequest,
  chosenId: string | undefined,
): Promise<Membership | undefined> {
  if (ownerId === null && !scopes.includes('organization')) return undefined
  const id = chosenId ?? ownerId ?? (slug === undefined ? await getOnlyOrganizationId(database, user.id) : undefined)
  const isForeign = ownerId !== null && id !== ownerId
  const membership = isForeign
    ? undefined
    : await findMembership(database, user.id, { ...(id !== undefined && { id }), ...(slug !== undefined && { slug }) })
  if (!membership) throw new ApiError('ORGANIZATION_NOT_FOUND', { field: 'organizationId' })
  return membership
}
