import type { Kysely } from 'kysely'
import { newId } from '../../platform/crypto/tokens.ts'
import { deleteSome } from '../../platform/database/delete-some.ts'
import { hasMoreThan } from '../../platform/database/has-more-than.ts'
import type { OAuthClientRow, OAuthConsentRow, Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { splitScopes } from '../oauth-clients/scopes.ts'
import { IS_SELF_REGISTERED, isSelfRegistered, lockOAuthClientForShare } from '../oauth-clients/store.ts'

/** A registration replaces no client that a user allows, so a user must not allow as many clients as may register. */
const SELF_REGISTERED_OF_USER_MAXIMUM = 100

type ConsentKey = Pick<OAuthConsentRow, 'userId' | 'clientId'>

export function findConsent(
  database: Kysely<Tables>,
  { userId, clientId }: ConsentKey,
): Promise<OAuthConsentRow | undefined> {
  return database
    .selectFrom('oauthConsents')
    .selectAll()
    .where('userId', '=', userId)
    .where('clientId', '=', clientId)
    .executeTakeFirst()
}

export interface Allowed {
  scopes: string[]
  /** The organization of the scope `organization`; null without this scope. */
  organizationId: string | null
}

const NOTHING: Allowed = { scopes: [], organizationId: null }

export function toAllowed(scopes: string[], organizationId: string | null): Allowed {
  return { scopes, organizationId: scopes.includes('organization') ? organizationId : null }
}

/** A user may allow an app one organization and not another. */
export function isAllowed(consent: OAuthConsentRow | undefined, { scopes, organizationId }: Allowed): boolean {
  const allowed = splitScopes(consent?.scopes)
  const organizationIds = consent?.organizationIds.split(' ') ?? []
  const isForOrganization = organizationId === null || organizationIds.includes(organizationId)
  return isForOrganization && scopes.every((scope) => allowed.includes(scope))
}

interface ConsentDecision extends ConsentKey, Allowed {
  /** The part of the request that the user did not allow. */
  refused?: Allowed
}

/** The last decision counts. @throws ApiError OAUTH_CLIENT_NOT_FOUND; OAUTH_CONSENT_LIMIT_REACHED */
export async function saveConsent(
  { transaction, context, record }: UnitOfWork,
  { userId, clientId, scopes, organizationId, refused = NOTHING }: ConsentDecision,
): Promise<OAuthConsentRow> {
  const now = context.now()
  const client = await lockOAuthClientForShare(transaction, clientId)
  if (isSelfRegistered(client)) await assertBelowMaximum(transaction, { userId, clientId })
  const consent = await insertOrLockConsent(transaction, {
    id: newId('con', context),
    userId,
    clientId,
    scopes: scopes.join(' '),
    organizationIds: organizationId ?? '',
    createdAt: now,
    updatedAt: now,
  })
  const all = withoutRefused(refused, {
    scopes: mergeWords(consent.scopes, scopes),
    organizationIds: mergeWords(consent.organizationIds, organizationId === null ? [] : [organizationId]),
  })
  await transaction.updateTable('oauthConsents').set(all).where('id', '=', consent.id).execute()
  const details = { clientId, name: client.name, scopes: scopes.join(' ') }
  const subject = { subjectId: userId, ...(organizationId !== null && { organizationId }) }
  await record({ action: 'oauth-consent.granted', ...subject, details })
  return { ...consent, ...all }
}

/** @throws ApiError OAUTH_CONSENT_LIMIT_REACHED, but not for a client that the user allows already */
async function assertBelowMaximum(transaction: Kysely<Tables>, { userId, clientId }: ConsentKey): Promise<void> {
  const allowed = transaction
    .selectFrom('oauthConsents')
    .innerJoin('oauthClients', 'oauthClients.id', 'oauthConsents.clientId')
    .select('oauthConsents.clientId')
    .where('userId', '=', userId)
    .where(IS_SELF_REGISTERED)
    .orderBy('oauthConsents.id')
  // Concurrent consents of the user would all count before the others are inserted.
  await allowed.limit(1).forUpdate('oauthConsents').execute()
  const clients = await allowed.execute()
  if (clients.length >= SELF_REGISTERED_OF_USER_MAXIMUM && !clients.some((client) => client.clientId === clientId))
    throw new ApiError('OAUTH_CONSENT_LIMIT_REACHED')
}

type ConsentTexts = Pick<OAuthConsentRow, 'scopes' | 'organizationIds'>

/** The scope `organization` stays while another organization is allowed. */
function withoutRefused({ scopes, organizationId }: Allowed, former: ConsentTexts): ConsentTexts {
  const organizationIds = splitScopes(former.organizationIds).filter((id) => id !== organizationId)
  const removed = organizationIds.length > 0 ? scopes.filter((scope) => scope !== 'organization') : scopes
  const rest = splitScopes(former.scopes).filter((scope) => !removed.includes(scope))
  return { scopes: rest.join(' '), organizationIds: organizationIds.join(' ') }
}

function mergeWords(former: string, added: string[]): string {
  return [...new Set([...splitScopes(former), ...added])].join(' ')
}

/** The update on conflict locks an existing row, so that concurrent consents lose no scopes of each other. */
function insertOrLockConsent(transaction: Kysely<Tables>, consent: OAuthConsentRow): Promise<OAuthConsentRow> {
  return transaction
    .insertInto('oauthConsents')
    .values(consent)
    .onConflict((conflict) => conflict.columns(['userId', 'clientId']).doUpdateSet({ updatedAt: consent.updatedAt }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function deleteConsent(
  transaction: Kysely<Tables>,
  userId: string,
  by: Pick<OAuthConsentRow, 'id'> | Pick<OAuthConsentRow, 'clientId'>,
): Promise<OAuthConsentRow | undefined> {
  const consents = transaction.deleteFrom('oauthConsents').where('userId', '=', userId)
  const found = 'id' in by ? consents.where('id', '=', by.id) : consents.where('clientId', '=', by.clientId)
  return found.returningAll().executeTakeFirst()
}

/** Consents to a client in the order of the index. `hasMoreThan` explains `between`. */
export function selectConsentsToClient(database: Kysely<Tables>, clientId: string) {
  return database
    .selectFrom('oauthConsents')
    .select('id')
    .where(({ between }) => between('clientId', clientId, clientId))
    .orderBy('clientId')
}

export function deleteSomeConsents(database: Kysely<Tables>, clientId: string, limit: number): Promise<number> {
  return deleteSome(database, 'oauthConsents', 'id', selectConsentsToClient(database, clientId), limit)
}

export function hasConsents(database: Kysely<Tables>, userId: string): Promise<boolean> {
  return hasMoreThan(database.selectFrom('oauthConsents').select('id').where('userId', '=', userId), 0)
}

export async function deleteConsentsOfUser(
  transaction: Kysely<Tables>,
  userId: string,
): Promise<Pick<OAuthClientRow, 'id' | 'name'>[]> {
  const clients = await transaction
    .selectFrom('oauthConsents')
    .innerJoin('oauthClients', 'oauthClients.id', 'clientId')
    .select(['oauthClients.id', 'oauthClients.name'])
    .where('userId', '=', userId)
    .execute()
  await transaction.deleteFrom('oauthConsents').where('userId', '=', userId).execute()
  return clients
}

export async function deleteAllConsents(transaction: Kysely<Tables>): Promise<number> {
  const { numDeletedRows } = await transaction.deleteFrom('oauthConsents').executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
