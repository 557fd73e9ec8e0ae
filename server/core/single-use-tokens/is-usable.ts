import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { hashToken } from '../../platform/crypto/tokens.ts'
import { isLiveRow } from '../../platform/database/is-live-row.ts'
import type { Tables, TokenPurpose } from '../../platform/database/tables.ts'
import { isNotBanned } from '../users/banned.ts'
import { SINGLE_USE_TOKEN_MILLISECONDS } from './token-purposes.ts'

/**
 * A token of a banned user is refused, because no link may undo or evade a ban. A token that a session asked for
 * expires with the session; the foreign key deletes it when the session is revoked. A token that expires later than two
 * lifetimes from now is refused: it was created while the clock was ahead. The second lifetime allows for different
 * clocks.
 */
export function isUsable(
  where: ExpressionBuilder<Tables, 'singleUseTokens'>,
  now: number,
  purpose: TokenPurpose,
  token: string,
): Expression<SqlBool> {
  const allowedUser = where
    .selectFrom('users')
    .select('users.id')
    .whereRef('users.id', '=', 'singleUseTokens.userId')
    .where(isNotBanned(now))
  const liveSession = where
    .selectFrom('sessions')
    .select('sessions.id')
    .whereRef('sessions.id', '=', 'singleUseTokens.sessionId')
    .where('sessions.expiresAt', '>', now)
  return where.and([
    where('tokenHash', '=', hashToken(token)),
    where('purpose', '=', purpose),
    isLiveRow(SINGLE_USE_TOKEN_MILLISECONDS[purpose], now),
    where.or([where('userId', 'is', null), where.exists(allowedUser)]),
    where.or([where('sessionId', 'is', null), where.exists(liveSession)]),
  ])
}
