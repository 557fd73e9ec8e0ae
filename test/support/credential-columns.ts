import assert from 'node:assert/strict'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { createToken } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import { SINGLE_USE_TOKEN_MILLISECONDS } from '../../server/core/single-use-tokens/token-purposes.ts'
import { newId } from '../../server/platform/crypto/tokens.ts'
import { COPY_STEPS } from '../../server/platform/database/copy/copy-steps.ts'
import type { Tables, TokenPurpose } from '../../server/platform/database/tables.ts'
import type { Population } from './populated.ts'
import type { Service } from './service.ts'
import { enableEmailCodes } from './two-step.ts'
import { PASSWORD } from './users.ts'

type Credentials = Record<string, RawBuilder<SqlBool>>

/**
 * Columns with credentials. The condition is true for a row whose credential still works: no such row survives a
 * restore.
 */
export const ENDED_BY_RESTORE: Credentials = {
  'sessions.tokenHash': sql`true`,
  'sessions.encryptedImpersonatorToken': sql`"encryptedImpersonatorToken" is not null`,
  'singleUseTokens.tokenHash': sql`true`,
  'singleUseTokens.data': sql`true`,
  'trustedDevices.tokenHash': sql`true`,
  'secondSteps.encryptedSecret': sql`"verifiedAt" is null`,
  'recoveryCodes.codeHash': sql`(method, "userId") in (select method, "userId" from "secondSteps" where "verifiedAt" is null)`,
  'secondSteps.codeMac': sql`"codeMac" is not null`,
  'secondSteps.codeExpiresAt': sql`"codeExpiresAt" is not null`,
  'invitations.secretHash': sql`status = 'pending'`,
  'outbox.encryptedEmail': sql`"encryptedEmail" is not null`,
  'apiKeys.keyHash': sql`enabled = 1`,
  'oauthClients.secretHash': sql`disabled = 0`,
  'oauthClients.metadata': sql`disabled = 0`,
  'oauthConsents.scopes': sql`true`,
  'clientSessions.sid': sql`true`,
  'oauthGrants.scopes': sql`true`,
  'oauthArtifacts.idHash': sql`true`,
  'oauthArtifacts.predecessorHash': sql`"predecessorHash" is not null`,
  'oauthArtifacts.userCodeHash': sql`"userCodeHash" is not null`,
  'oauthArtifacts.payload': sql`true`,
}

/** A restore withdraws these keys and makes new ones, see the test of the signing keys. */
const REPLACED_BY_RESTORE = [
  'signingKeys.publicJwk',
  'signingKeys.encryptedPrivateJwk',
  'signingKeys.publicEcJwk',
  'signingKeys.encryptedPrivateEcJwk',
]

/** Users need these credentials to sign in. The command tells the operator to check them, and verified second steps. */
const AS_IN_BACKUP = ['accounts.passwordHash', 'passkeys.credentialID', 'passkeys.publicKey']

/** Columns whose values give no access, although their names look like credentials. */
const NO_CREDENTIALS = [
  'knownDevices.device',
  'secondSteps.codeFailures',
  'secretGenerations.secretId',
  'secretGenerations.retiredKeys',
  'apiKeys.metadata',
  'organizations.metadata',
  'emailLimits.key',
  'auditEvents.mac',
  'auditEvents.hash',
  'auditHead.mac',
  'auditHead.hash',
  'auditStart.mac',
  'auditStart.hash',
  'oauthLogouts.sid',
  'oauthGrants.sid',
]

const SUSPICIOUS = /hash|token|secret|mac$|code|encrypted|jwk|key|credentialid|password|payload|^data$|metadata|^sid$/i

/**
 * A new column whose name looks like a credential belongs in one of the lists. A restore must end it if it gives
 * access.
 */
export async function assertEveryColumnIsListed(database: Kysely<Tables>): Promise<void> {
  const copied = new Set<string>(COPY_STEPS.map(({ table }) => table))
  const tables = (await database.introspection.getTables()).filter(({ name }) => copied.has(name))
  const suspicious = tables.flatMap(({ name, columns }) =>
    columns.filter((column) => SUSPICIOUS.test(column.name)).map((column) => `${name}.${column.name}`),
  )
  const listed = [...Object.keys(ENDED_BY_RESTORE), ...REPLACED_BY_RESTORE, ...AS_IN_BACKUP, ...NO_CREDENTIALS]
  assert.deepEqual(
    suspicious.filter((column) => !listed.includes(column)),
    [],
  )
}

/** @returns the columns of which a row still gives access */
export async function listOpenCredentials(database: Kysely<Tables>): Promise<string[]> {
  const open = []
  for (const [column, condition] of Object.entries(ENDED_BY_RESTORE)) {
    const table = sql.table(column.split('.')[0] ?? '')
    const { rows } = await sql`select 1 from ${table} where ${condition} limit 1`.execute(database)
    if (rows.length > 0) open.push(column)
  }
  return open
}

/** Inserts the credentials that `populate` leaves out. */
export async function addRemainingCredentials(service: Service, { boss, passkeyUser, app }: Population): Promise<void> {
  const { context } = service
  const { database } = context
  const times = { createdAt: context.now(), updatedAt: context.now() }
  for (const purpose of Object.keys(SINGLE_USE_TOKEN_MILLISECONDS) as TokenPurpose[])
    await createToken(database, context, purpose, { userId: boss.id, data: {} })
  await enableEmailCodes(service, passkeyUser)
  await boss.client.post('/api/auth/two-factor/enable', { password: PASSWORD })
  const code = { codeMac: 'mac', codeExpiresAt: context.now() + 60_000 }
  await database.updateTable('secondSteps').set(code).where('userId', '=', passkeyUser.id).execute()
  await database
    .insertInto('trustedDevices')
    .values({
      id: newId('tru', context),
      userId: boss.id,
      tokenHash: 'hash',
      createdAt: times.createdAt,
      expiresAt: times.createdAt + 60_000,
      lastUsedAt: null,
      ipAddress: null,
      userAgent: null,
    })
    .execute()
  await database
    .insertInto('oauthConsents')
    .values({
      id: newId('con', context),
      userId: boss.id,
      clientId: app.id,
      scopes: 'openid',
      organizationIds: '',
      ...times,
    })
    .execute()
  await database
    .insertInto('oauthArtifacts')
    .values({
      idHash: 'hash',
      kind: 'DeviceCode',
      grantId: null,
      clientId: app.id,
      predecessorHash: 'hash',
      userCodeHash: 'hash',
      payload: '{}',
      createdAt: times.createdAt,
      expiresAt: times.createdAt + 60_000,
      consumedAt: null,
      polledAt: null,
      answeredAt: null,
    })
    .execute()
}
