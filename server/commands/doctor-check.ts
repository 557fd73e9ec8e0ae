/** @returns the state of a part. @throws Error with the problem and its solution */
export type Check = [what: string, check: () => Promise<string>]

/** @throws Error */
export function need(isWell: boolean, well: string, otherwise: string): string {
  if (!isWell) throw new Error(otherwise)
  return well
}
