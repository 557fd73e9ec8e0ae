import type { UserRow } from '../../platform/database/tables.ts'

/** A ban holds until it is lifted or, where it has an end, until then. @param now epoch milliseconds */
export function isBanned({ banned, banExpires }: Pick<UserRow, 'banned' | 'banExpires'>, now: number): boolean {
  return banned === 1 && (banExpires === null || banExpires > now)
}
