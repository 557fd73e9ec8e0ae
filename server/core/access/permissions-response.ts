import { Type } from 'typebox'

const NAME_PATTERN = '^[A-Za-z][A-Za-z0-9_-]{0,63}$'
const Name = Type.String({ pattern: NAME_PATTERN, description: 'at most 64 letters, digits, hyphens and underscores' })

/** `{resource: [action, …]}`. An empty list is refused, because every role would grant it. */
export const Permissions = Type.Record(
  Type.String({ pattern: NAME_PATTERN }),
  Type.Array(Name, { minItems: 1, maxItems: 100 }),
  { additionalProperties: false, minProperties: 1, maxProperties: 40, description: 'such as {"user": ["ban"]}' },
)

export const PermissionsResponse = Type.Object({
  error: Type.String({ description: 'what is missing, such as `user: ban`; empty when everything is granted' }),
  success: Type.Boolean(),
})

export function answerPermissions(
  permissions: Record<string, string[]>,
  granted: readonly string[],
): { error: string; success: boolean } {
  const missing = Object.entries(permissions).flatMap(([resource, actions]) => {
    const refused = actions.filter((action) => !granted.includes(`${resource}.${action}`))
    return refused.length > 0 ? [`${resource}: ${refused.join(', ')}`] : []
  })
  return { error: missing.join('; '), success: missing.length === 0 }
}
