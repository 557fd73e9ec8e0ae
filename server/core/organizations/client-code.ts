import type { OrganizationRow } from '../../platform/database/tables.ts'

/** Other metadata must not reach a token, where it could imitate a claim (CVE-2026-55669). */
export function clientCodeOf({ metadata }: OrganizationRow): string | null {
  const code = (JSON.parse(metadata ?? '{}') as Record<string, unknown>)['client-code']
  return typeof code === 'string' ? code : null
}
