import type { Environment } from './environment-reader.ts'

/** Every setting. docs/operations.md explains each. */
export const SETTING_NAMES = [
  'ACCOUNT_GUESSES_PER_15_MINUTES',
  'ALLOW_CLIENT_REGISTRATION',
  'AUDIT_RETENTION_DAYS',
  'BASE_URL',
  'BRAND_ACCENT',
  'BRAND_MARK',
  'BRAND_NAME',
  'DATABASE_URL',
  'HOST',
  'JWT_KEY_BITS',
  'LOG_LEVEL',
  'MAIL_FROM',
  'METRICS_PORT',
  'NETWORK_CHANGES_PER_MINUTE',
  'NETWORK_EMAIL_REQUESTS_PER_5_MINUTES',
  'NETWORK_GUESSES_PER_5_MINUTES',
  'ORGANIZATIONS_PER_USER',
  'ORGANIZATION_CREATION',
  'ORGANIZATION_INVITATIONS_PER_DAY',
  'PASSWORD_MIN_LENGTH',
  'PORT',
  'PREVIOUS_SECRET',
  'PRIVACY_URL',
  'REQUIRE_TWO_FACTOR',
  'RETURN_TO_ORIGINS',
  'RP_ID',
  'SECRET',
  'SERVICES',
  'SESSIONS_PER_USER',
  'SMTP_URL',
  'SUPPORT_URL',
  'TRUSTED_ORIGINS',
  'TRUST_PROXY',
  'USER_CHANGES_PER_MINUTE',
  'WORKERS',
]

/** Short names are too similar to variables of other programs: HOME is similar to HOST, WORKER to WORKERS. */
const COMPARED = SETTING_NAMES.filter((name) => name.length >= 8 && name.includes('_'))
/**
 * Swapped letters are not compared: they would make RP_ID of PR_ID, which build systems set to the id of a pull request.
 * One missing or added letter is.
 */
const COMPARED_SHORT = ['RP_ID', 'SECRET']

/**
 * A misspelt name is ignored by the system, and the service would start with the default: with an empty database, for
 * example. A setting that is also there under its right name is no problem.
 */
export function findMisspelt(environment: Environment): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (SETTING_NAMES.includes(name)) return []
    const meant =
      COMPARED.find((setting) => environment[setting] === undefined && isSimilar(name, setting)) ??
      COMPARED_SHORT.find((setting) => environment[setting] === undefined && hasOneLetterMoreOrLess(name, setting))
    return meant ? [`${name} is no setting. Did you mean ${meant}? Rename it, or remove it.`] : []
  })
}

/** One edit in a short name and two in a longer one. Upper and lower case are the same. */
function isSimilar(name: string, setting: string): boolean {
  const maximum = setting.length < 10 ? 1 : 2
  // Most pairs end here: to compare all letters of all pairs takes 10 ms of each start.
  return Math.abs(name.length - setting.length) <= maximum && countEdits(name.toUpperCase(), setting) <= maximum
}

function hasOneLetterMoreOrLess(name: string, setting: string): boolean {
  return Math.abs(name.length - setting.length) === 1 && countEdits(name.toUpperCase(), setting) === 1
}

/** Letters that are missing, added, wrong or swapped with the next one (Damerau–Levenshtein distance). */
function countEdits(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const choices = [at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (isSame ? 0 : 1)]
      if (isSwapped) choices.push(at(beforeLast, column - 2) + 1)
      current.push(Math.min(...choices))
    }
    beforeLast = last
    last = current
  }
  return at(last, other.length)
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
