import { type Kysely, sql } from 'kysely'
import { SESSION_MILLISECONDS_MAXIMUM } from '../../../core/sessions/lifetimes.ts'
import type { OAuthConsentRow, Tables } from '../../../platform/database/tables.ts'
import { columnSql } from '../../../platform/filter/condition-sql.ts'

export interface AppRow {
  id: string
  name: string
  metadata: string
  organizationId: string | null
  createdBy: string | null
  organizationName: string | null
  consentId: string | null
  consentScopes: string | null
  consentedAt: number | null
  signedInAt: number | null
  lastUsedAt: number | null
}

const NAME = { reference: sql.ref('oauthClients.name'), type: 'text' } as const

export function listAppRows(database: Kysely<Tables>, userId: string): Promise<AppRow[]> {
  const used = database
    .selectFrom('clientSessions')
    .select(({ fn }) => ['clientId', fn.min('createdAt').as('signedInAt'), fn.max('lastUsedAt').as('lastUsedAt')])
    .where('userId', '=', userId)
    .groupBy('clientId')
  return database
    .selectFrom('oauthClients')
    .leftJoin('organizations', 'organizations.id', 'oauthClients.organizationId')
    .leftJoin('oauthConsents', (join) =>
      join.onRef('oauthConsents.clientId', '=', 'oauthClients.id').on('oauthConsents.userId', '=', userId),
    )
    .leftJoin(used.as('used'), 'used.clientId', 'oauthClients.id')
    .select([
      'oauthClients.id',
      'oauthClients.name',
      'oauthClients.metadata',
      'oauthClients.organizationId',
      'oauthClients.createdBy',
      'organizations.name as organizationName',
      'oauthConsents.id as consentId',
      'oauthConsents.scopes as consentScopes',
      'oauthConsents.createdAt as consentedAt',
      'used.signedInAt',
      'used.lastUsedAt',
    ])
    .where('oauthClients.id', 'in', (clients) =>
      clients
        .selectFrom('oauthConsents')
        .select('clientId')
        .where('userId', '=', userId)
        .union(clients.selectFrom('clientSessions').select('clientId').where('userId', '=', userId)),
    )
    .orderBy(columnSql(database, NAME))
    .orderBy('oauthClients.id')
    .execute()
}

/** The scopes of the tokens of a user at each client. A moved grant lasts longer than its tokens. */
export function listGrantedScopes(
  database: Kysely<Tables>,
  userId: string,
  now: number,
): Promise<{ clientId: string; scopes: string }[]> {
  return database
    .selectFrom('oauthGrants')
    .select(['clientId', 'scopes'])
    .distinct()
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .where(({ fn }) => fn.coalesce('signedInAt', 'createdAt'), '>', now - SESSION_MILLISECONDS_MAXIMUM)
    .execute()
}

export type ConsentWithClient = OAuthConsentRow & { clientName: string; clientMetadata: string }

export function listConsentRows(database: Kysely<Tables>, userId: string, id?: string): Promise<ConsentWithClient[]> {
  return database
    .selectFrom('oauthConsents')
    .innerJoin('oauthClients', 'oauthClients.id', 'oauthConsents.clientId')
    .selectAll('oauthConsents')
    .select(['oauthClients.name as clientName', 'oauthClients.metadata as clientMetadata'])
    .where('oauthConsents.userId', '=', userId)
    .$if(id !== undefined, (query) => query.where('oauthConsents.id', '=', id ?? ''))
    .orderBy('oauthConsents.updatedAt', 'desc')
    .orderBy('oauthConsents.id', 'desc')
    .execute()
}
