import { Type } from 'typebox'

type RoleField = string | string[]

/** One role, as text or as a list of one: the official clients send both. Longer lists are refused (CVE-2026-27802). */
export const OneRole = (description: string) =>
  Type.Unsafe<RoleField>({
    type: ['string', 'array'],
    minLength: 1,
    maxLength: 64,
    items: { type: 'string', minLength: 1, maxLength: 64 },
    minItems: 1,
    maxItems: 1,
    description,
  })

export function toRole(role: RoleField): string {
  return Array.isArray(role) ? (role[0] ?? '') : role
}
