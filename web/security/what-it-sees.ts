import { listed } from '../shared/format/list.ts'
import { listSeenData } from '../shared/oauth-clients/seen-data.ts'

export function whatItSees(scopes: string[]): string {
  const seen = listSeenData(scopes)
  if (seen.length === 0) return 'It sees only the id of your account.'
  return `It sees ${listed(seen.map((word) => `your ${word}`))}.`
}
