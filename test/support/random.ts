/** A random generator that repeats its values for the same seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    /** Includes both ends. */
    integer: (from: number, to: number): number => from + Math.floor(fraction() * (to - from + 1)),
    chance: (probability: number): boolean => fraction() < probability,
    pick: <T>(choices: readonly T[]): T => choices[Math.floor(fraction() * choices.length)] as T,
    shuffle: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, rank: fraction() }))
        .sort((one, other) => one.rank - other.rank)
        .map(({ item }) => item),
  }
}
