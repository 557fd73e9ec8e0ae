import type { IdKind } from '../../server/platform/crypto/tokens.ts'

/** The numbers of users of the three populations. */
export const SIZES = [1_000, 30_000, 1_000_000]
export const SESSIONS_PER_USER = 5
export const EVENTS_PER_USER = 5
/** Also the number of members of each organization. */
export const USERS_PER_ORGANIZATION = 100
/** The number of apps of the service. In addition, each tenth organization has one. */
export const SERVICE_CLIENTS = 20

export const ID_DIGITS = 26

/** The id of a seeded row, which has the length of a real one. Rows count from 1. */
export function idOf(kind: IdKind, number: number): string {
  return `${kind}_${String(number).padStart(ID_DIGITS, '0')}`
}

export function organizationCount(users: number): number {
  return Math.ceil(users / USERS_PER_ORGANIZATION)
}

export function organizationOf(user: number): number {
  return Math.ceil(user / USERS_PER_ORGANIZATION)
}

/** The token of a seeded session, or the secret of a seeded invitation: as long as a real one. */
export function tokenOf(what: 'session' | 'invite', number: number): string {
  return `${what}${String(number).padStart(43 - what.length, '0')}`
}
