import type { Bench } from './bench.ts'

export type Contestants<Name extends string> = Record<Name, () => Promise<number>>
export type Rounds<Name extends string> = Record<Name, number>[]

/**
 * Measures all contestants in turn, in several rounds. Other work on the machine then affects all of them, so a ratio
 * within one round is more reliable than a ratio of two averages.
 */
export async function measureInRounds<Name extends string>(
  { pace, measureOtherWork }: Bench,
  contestants: Contestants<Name>,
): Promise<Rounds<Name>> {
  const names = Object.keys(contestants) as Name[]
  const rounds: Rounds<Name> = []
  for (let round = 0; round < pace.rounds; round += 1) {
    await measureOtherWork()
    const measured = {} as Record<Name, number>
    for (const name of names) measured[name] = await contestants[name]()
    rounds.push(measured)
  }
  return rounds
}

export function medianOf<Name extends string>(rounds: Rounds<Name>, name: Name): number {
  return median(rounds.map((round) => round[name]))
}

/** The median of the ratios of each round. */
export function ratioOf<Name extends string>(rounds: Rounds<Name>, numerator: Name, denominator: Name): number {
  return median(rounds.map((round) => round[numerator] / round[denominator]))
}

export function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
