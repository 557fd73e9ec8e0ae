import type { UserRow } from '../../platform/database/tables.ts'

/** @param now epoch milliseconds */
export function isBanned({ banned, banExpires }: Pick<UserRow, 'banned' | 'banExpires'>, now: number): boolean {
  return banned === 1 && (banExpires === null || banExpires > now)
}
