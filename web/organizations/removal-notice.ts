import { workingKeys } from '../shared/format/working-keys.ts'
import type { RemovedMember } from './remove-member.ts'

/** Names the API keys of removed members that still work. */
export function removalNotice(removals: { name: string; removed: RemovedMember }[]): string {
  const [only] = removals
  const subject = removals.length === 1 ? `${only?.name} is` : `${removals.length} members are`
  const keys = removals.flatMap(({ removed }) => removed.apiKeys)
  return `${subject} removed.${workingKeys('they', keys)}`
}
