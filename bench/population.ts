import { hash } from 'node:crypto'

/** Row counts of both databases, Accounts and Better Auth. */
export const SESSION_COUNT = 100_000
export const USER_COUNT = 10_000
export const ORGANIZATION_COUNT = 100
/** The password of every user. */
export const PASSWORD = 'correct horse battery staple'

/** A machine that gets tokens with its secret. */
export const CLIENT_ID = 'cli_bench'
export const CLIENT_SECRET = 'secret of the machine'

export interface SeededSession {
  /** The bearer token. */
  token: string
  userId: string
  email: string
  organizationSlug: string
}

export const emailOf = (userNumber: number): string => `user-${userNumber}@example.com`
/** The value of the cookie that marks the browser in which the user has signed in before. */
export const deviceTokenOf = (email: string): string => hash('sha256', email, 'base64url')
/** Consecutive sessions have the same user, so that a sample of sessions is also a sample of users. */
export const ownerOf = (sessionNumber: number): number => Math.floor((sessionNumber * USER_COUNT) / SESSION_COUNT)
export const organizationOf = (userNumber: number): number => Math.floor((userNumber * ORGANIZATION_COUNT) / USER_COUNT)
export const slugOf = (organizationNumber: number): string => `organization-${organizationNumber}`

/** Every n-th session. Tokens are random, so the sample is spread over the whole index. */
export function sample(sessions: SeededSession[], count: number): SeededSession[] {
  const step = Math.floor(sessions.length / count)
  return sessions.filter((_session, index) => index % step === 0).slice(0, count)
}

/** 0, 1, …, count - 1 */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_nothing, index) => index)
}
