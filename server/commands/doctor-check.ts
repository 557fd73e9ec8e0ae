/** @returns the state of a part. @throws Error with the problem and its solution */
export type Check = [what: string, check: () => Promise<string>]

/** A check did not run, because an earlier one failed. */
export class NotChecked extends Error {
  override name = 'NotChecked'
}

export function requireNoProblem(problem: string | undefined, whenWell: string): string {
  if (problem !== undefined) throw new Error(problem)
  return whenWell
}

export function requireWell(isWell: boolean, well: string, otherwise: string): string {
  return requireNoProblem(isWell ? undefined : otherwise, well)
}

/** If the first check fails, the `later` checks throw NotChecked, because their errors would mislead. */
export function checkFirst([what, check]: Check, later: Check[]): Check[] {
  let isWell = false

  async function first(): Promise<string> {
    const state = await check()
    isWell = true
    return state
  }

  const ifWell = ([name, other]: Check): Check => [
    name,
    async () => {
      if (!isWell) throw new NotChecked(`solve "${what}" first`)
      return other()
    },
  ]
  return [[what, first], ...later.map(ifWell)]
}
