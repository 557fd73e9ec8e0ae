import type { ExpressionBuilder } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'

export const NOT_BANNED = { banned: 0, banReason: null, banExpires: null }

export function isBanned({ banned, banExpires }: Pick<UserRow, 'banned' | 'banExpires'>, now: number): boolean {
  return banned === 1 && (banExpires === null || banExpires > now)
}

export function isNotBanned(now: number) {
  return (where: ExpressionBuilder<Tables, 'users'>) =>
    where.or([where('users.banned', '=', 0), where('users.banExpires', '<=', now)])
}
