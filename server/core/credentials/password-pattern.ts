/** The rows of keyboards. `isCount` finds the alphabet, by its code points. */
const ROWS = ['1234567890', 'qwertyuiopasdfghjklzxcvbnm', 'qwertzuiopasdfghjklyxcvbnm', 'azertyuiopqsdfghjklmwxcvbn']
const BLOCK_LENGTH_MAXIMUM = 4

export function isPattern(password: string): boolean {
  const letters = [...password.trim().toLowerCase()]
  return letters.length === 0 || isRepeated(letters) || isCount(letters) || ROWS.some((row) => isAlong(row, letters))
}

/** `aaaaaaaa`, `123123123`, `abcdabcd`; the last block may be incomplete. */
function isRepeated(letters: string[]): boolean {
  for (let length = 1; length <= Math.min(BLOCK_LENGTH_MAXIMUM, letters.length / 2); length++) {
    if (letters.every((letter, index) => index < length || letter === letters[index - length])) return true
  }
  return false
}

/** `abcdefgh`, `98765432`, `acegikmo`. */
function isCount(letters: string[]): boolean {
  const codes = letters.map((letter) => letter.codePointAt(0) ?? 0)
  const [first = 0, second = 0] = codes
  const step = second - first
  return codes.every((code, index) => code === first + step * index)
}

/** `890123456`, `0987654321`, `asdfghjkl`: after its end the row continues at its start. */
function isAlong(row: string, letters: string[]): boolean {
  const start = row.indexOf(letters[0] ?? '')
  if (start < 0) return false
  return [1, -1].some((direction) =>
    letters.every((letter, index) => letter === row.at((start + direction * index) % row.length)),
  )
}
