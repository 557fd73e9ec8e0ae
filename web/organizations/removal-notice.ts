import type { RemovedMember } from './remove-member.ts'

/** Names the API keys of removed members that still work. */
export function removalNotice(removals: { name: string; removed: RemovedMember }[]): string {
  const [only] = removals
  const subject = removals.length === 1 ? `${only?.name} is` : `${removals.length} members are`
  const keys = removals.flatMap(({ removed }) => removed.apiKeys).map(({ name }) => name)
  return keys.length === 0
    ? `${subject} removed.`
    : `${subject} removed. API keys that they created still work: ${keys.join(', ')}.`
}
