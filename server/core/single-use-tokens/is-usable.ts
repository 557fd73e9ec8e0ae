import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { hashToken } from '../../platform/crypto/tokens.ts'
import { isLiveRow } from '../../platform/database/is-live-row.ts'
import type { Tables, TokenPurpose } from '../../platform/database/tables.ts'
import { isNotBanned } from '../users/banned.ts'
import { SINGLE_USE_TOKEN_MILLISECONDS } from './token-purposes.ts'

/**
 * A link must not undo or evade a ban. A token that a session asked for expires with the session. `isLiveRow` refuses a
 * token of a clock that was ahead.
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
