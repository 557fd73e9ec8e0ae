import { randomBytes } from 'node:crypto'

/**
 * Twelve random letters from a to p, unique enough for a name, a slug or an email address. Digits are left out, because
 * the service refuses a name with seven digits in a row as a telephone number.
 */
export function randomLetters(): string {
  return randomBytes(6)
    .toString('hex')
    .replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))
}
