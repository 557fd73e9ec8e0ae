/** Who is in both databases: the same number of everything, for ours and for Better Auth. */
export const SESSION_COUNT = 100_000
export const USER_COUNT = 10_000
export const ORGANIZATION_COUNT = 100
/** Everybody's: no answer depends on which password it is. */
export const PASSWORD = 'correct horse battery staple'

export interface Holder {
  /** What a client sends as its bearer credential. */
  token: string
  userId: string
  email: string
  organizationSlug: string
}

export const emailOf = (userNumber: number): string => `person-${userNumber}@example.com`
/** Neighbours belong together, so that a sample of the sessions is one of the users and organizations too. */
export const ownerOf = (sessionNumber: number): number => Math.floor((sessionNumber * USER_COUNT) / SESSION_COUNT)
export const organizationOf = (userNumber: number): number => Math.floor((userNumber * ORGANIZATION_COUNT) / USER_COUNT)
export const slugOf = (organizationNumber: number): string => `organization-${organizationNumber}`

/** So many holders from all over: every n-th session. Tokens are random, so they lie anywhere in their index. */
export function sample(holders: Holder[], count: number): Holder[] {
  const step = Math.floor(holders.length / count)
  return holders.filter((_holder, index) => index % step === 0).slice(0, count)
}

/** 0, 1, …, count - 1 */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_nothing, index) => index)
}
