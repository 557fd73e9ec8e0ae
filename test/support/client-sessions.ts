import { hashToken, newId, newToken } from '../../server/platform/crypto/tokens.ts'
import { chunksOf } from '../../server/platform/database/chunks.ts'
import type { ClientSessionRow, OAuthClientRow, OAuthGrantRow } from '../../server/platform/database/tables.ts'
import type { Service } from './service.ts'
import type { TestUser } from './users.ts'

/** The row of another session of a user, without a sign-in. */
export async function insertTestSession(
  service: Pick<Service, 'context'>,
  user: Pick<TestUser, 'token'>,
): Promise<{ id: string; token: string }> {
  const { context } = service
  const row = await findSessionOf(service, user)
  const token = newToken(context)
  const id = newId('ses', context)
  await context.database
    .insertInto('sessions')
    .values({ ...row, id, tokenHash: hashToken(token) })
    .execute()
  return { id, token }
}

export function findSessionOf({ context }: Pick<Service, 'context'>, { token }: Pick<TestUser, 'token'>) {
  return context.database
    .selectFrom('sessions')
    .selectAll()
    .where('tokenHash', '=', hashToken(token))
    .executeTakeFirstOrThrow()
}

type NewClientSession = Pick<ClientSessionRow, 'sessionId' | 'userId' | 'clientId'> & {
  organizationId: string | null
  scopes?: string
}

/** The rows of a session at a client and of its grant. @returns the `sid` */
export async function insertTestClientSession(
  service: Pick<Service, 'context'>,
  { id: clientId }: Pick<OAuthClientRow, 'id'>,
  session: Pick<ClientSessionRow, 'sessionId' | 'userId'>,
  organizationId: string | null = null,
): Promise<string> {
  const [sid = ''] = await insertTestClientSessions(service, [{ ...session, clientId, organizationId }])
  return sid
}

/** @returns the `sid` of each */
export async function insertTestClientSessions(
  { context }: Pick<Service, 'context'>,
  sessions: NewClientSession[],
): Promise<string[]> {
  const { database } = context
  const now = context.now()
  const rows = sessions.map((session) => ({ ...session, sid: newToken(context), createdAt: now }))
  const clientSessions = rows.map(({ organizationId, scopes, ...row }) => ({
    ...row,
    firstSessionId: row.sessionId,
    lastUsedAt: now,
  }))
  await database.insertInto('clientSessions').values(clientSessions).execute()
  const grants = rows.map(({ sessionId, ...row }) => ({
    scopes: 'openid',
    ...row,
    id: newToken(context),
    resources: '[]',
    expiresAt: now + 86_400_000,
  }))
  await database.insertInto('oauthGrants').values(grants).execute()
  return rows.map(({ sid }) => sid)
}

/** More grants like the first one of a client. */
export async function insertTestGrants(
  { context }: Pick<Service, 'context'>,
  { clientId }: Pick<OAuthGrantRow, 'clientId'>,
  count: number,
): Promise<void> {
  const { database } = context
  const grants = database.selectFrom('oauthGrants').selectAll().where('clientId', '=', clientId)
  const grant = await grants.limit(1).executeTakeFirstOrThrow()
  const copies = Array.from({ length: count }, () => ({ ...grant, id: newToken(context) }))
  for (const chunk of chunksOf(copies)) await database.insertInto('oauthGrants').values(chunk).execute()
}
