import { timingSafeEqual } from 'node:crypto'

/** The time of the comparison shows the length of the expected text, and nothing else. */
export function isEqualInConstantTime(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)]
  return left.length === right.length && timingSafeEqual(left, right)
}
