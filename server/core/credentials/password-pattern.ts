/** The alphabet is no row: its letters are counted up by code point. */
const ROWS = ['1234567890', 'qwertyuiopasdfghjklzxcvbnm', 'qwertzuiopasdfghjklyxcvbnm', 'azertyuiopqsdfghjklmwxcvbn']
const BLOCK_LENGTH_MAXIMUM = 4

/** Whether a password is a short block repeated, a count in equal steps, or keys side by side, from its start to its end. */
export function isPattern(password: string): boolean {
  const emails = [...password.trim().toLowerCase()]
  return emails.length === 0 || isRepeated(emails) || isCount(emails) || ROWS.some((row) => isAlong(row, emails))
}

/** `aaaaaaaa`, `123123123`, `abcdabcd`; the last block may be cut short. */
function isRepeated(emails: string[]): boolean {
  for (let length = 1; length <= Math.min(BLOCK_LENGTH_MAXIMUM, emails.length / 2); length++) {
    if (emails.every((email, index) => index < length || email === emails[index - length])) return true
  }
  return false
}

/** `abcdefgh`, `98765432`, `acegikmo`. */
function isCount(emails: string[]): boolean {
  const codes = emails.map((email) => email.codePointAt(0) ?? 0)
  const [first = 0, second = 0] = codes
  const step = second - first
  return codes.every((code, index) => code === first + step * index)
}

/** `890123456`, `0987654321`, `asdfghjkl`: beyond its end the row goes on at its start. */
function isAlong(row: string, emails: string[]): boolean {
  const start = row.indexOf(emails[0] ?? '')
  if (start < 0) return false
  return [1, -1].some((direction) =>
    emails.every((email, index) => email === row.at((start + direction * index) % row.length)),
  )
}
