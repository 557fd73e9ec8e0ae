import { ApiError } from '../../../platform/http/errors.ts'

/** What a key may be in its organization. It never owns it. */
export const API_KEY_ROLES = ['member', 'admin'] as const
export type ApiKeyRole = (typeof API_KEY_ROLES)[number]

/** @param roles that the key has, or is to have @throws ApiError INSUFFICIENT_API_KEY_PERMISSIONS */
export function assertMayHandle(memberRole: string, ...roles: string[]): void {
  if (roles.includes('admin') && memberRole !== 'owner') throw new ApiError('INSUFFICIENT_API_KEY_PERMISSIONS')
}
