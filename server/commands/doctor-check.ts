/** Resolves to why a part is well. @throws Error with what is wrong, and what to do */
export type Check = [what: string, check: () => Promise<string>]

/** @throws Error */
export function need(isWell: boolean, well: string, otherwise: string): string {
  if (!isWell) throw new Error(otherwise)
  return well
}
