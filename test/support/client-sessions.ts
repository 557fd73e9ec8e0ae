import { hashToken, newId, newToken } from '../../server/platform/crypto/tokens.ts'
import type { ClientSessionRow, OAuthClientRow } from '../../server/platform/database/tables.ts'
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

/** The rows of a session at a client and of its grant. @returns the `sid` */
export async function insertTestClientSession(
  { context }: Pick<Service, 'context'>,
  { id: clientId }: Pick<OAuthClientRow, 'id'>,
  { sessionId, userId }: Pick<ClientSessionRow, 'sessionId' | 'userId'>,
  organizationId: string | null = null,
): Promise<string> {
  const { database, now } = context
  const sid = newToken(context)
  const times = { createdAt: now(), lastUsedAt: now() }
  await database
    .insertInto('clientSessions')
    .values({ sid, sessionId, clientId, userId, ...times })
    .execute()
  await database
    .insertInto('oauthGrants')
    .values({
      id: newToken(context),
      sid,
      clientId,
      userId,
      organizationId,
      scopes: 'openid',
      resources: '[]',
      createdAt: now(),
      expiresAt: now() + 86_400_000,
    })
    .execute()
  return sid
}
