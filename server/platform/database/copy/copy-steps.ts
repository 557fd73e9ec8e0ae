import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../tables.ts'

export interface CopyStep {
  name: string
  table: keyof Tables
  /** The columns of the primary key. */
  key: string[]
  only?: RawBuilder<SqlBool>
}

/** A table follows the tables of its foreign keys. `oauthLogouts` is emptied last, because deleted sessions fill it. */
export const COPY_STEPS: [CopyStep, ...CopyStep[]] = [
  all('oauthLogouts', 'id'),
  all('secretGenerations', 'generation'),
  all('signingKeys', 'id'),
  all('users', 'id'),
  all('accounts', 'id'),
  all('passkeys', 'id'),
  all('secondSteps', 'userId', 'method'),
  all('recoveryCodes', 'codeHash'),
  all('secondStepFailures', 'userId'),
  all('knownDevices', 'userId', 'device'),
  all('trustedDevices', 'id'),
  all('organizations', 'id'),
  all('members', 'id'),
  all('invitations', 'id'),
  all('invitationEvents', 'invitationId', 'event'),
  all('apiKeys', 'id'),
  { ...all('sessions', 'id'), only: sql`"impersonatorSessionId" is null` },
  // Their foreign key names the sessions of the step before.
  { ...all('sessions', 'id'), name: 'impersonated sessions', only: sql`"impersonatorSessionId" is not null` },
  all('singleUseTokens', 'id'),
  all('oauthClients', 'id'),
  all('oauthConsents', 'id'),
  all('clientSessions', 'sid'),
  all('oauthGrants', 'id'),
  all('oauthArtifacts', 'idHash'),
  all('unconfirmedCredentials', 'id'),
  all('outbox', 'id'),
  all('emailLimits', 'key'),
  all('statistics', 'name', 'hour', 'detail'),
  all('auditEvents', 'id'),
  all('auditHead', 'id'),
  all('auditStart', 'id'),
]

function all(table: keyof Tables, ...key: string[]): CopyStep {
  return { name: table, table, key }
}
