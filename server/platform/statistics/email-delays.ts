/** The longest delay of each group, in seconds. The last group also has all longer delays. */
const GROUPS_SECONDS = [1, 2, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400, 604_800]

export function delayGroupOf(milliseconds: number): string {
  return String(GROUPS_SECONDS.find((seconds) => milliseconds <= seconds * 1000) ?? GROUPS_SECONDS.at(-1))
}

/** @param counts by group @returns the group of the median, in seconds; null without emails */
export function medianDelay(counts: Map<string, number>): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  let passed = 0
  for (const seconds of GROUPS_SECONDS) {
    passed += counts.get(String(seconds)) ?? 0
    if (passed > 0 && passed * 2 >= total) return seconds
  }
  return null
}
