import type { Environment } from './environment-reader.ts'

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
  'NETWORK_REGISTRATIONS_PER_HOUR',
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
/** Here only one letter more or less counts: build systems set PR_ID, which is not a misspelt RP_ID. */
const COMPARED_SHORT = ['RP_ID', 'SECRET']

/** A misspelt setting would be ignored, and the service would start with a default, such as an empty database. */
export function listMisspelt(environment: Environment): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (SETTING_NAMES.includes(name)) return []
    const meant =
      COMPARED.find((setting) => environment[setting] === undefined && isSimilar(name, setting)) ??
      COMPARED_SHORT.find((setting) => environment[setting] === undefined && hasOneLetterMoreOrLess(name, setting))
    return meant ? [`${name} is no setting. Did you mean ${meant}? Rename it, or remove it.`] : []
  })
}

function hasOneLetterMoreOrLess(name: string, setting: string): boolean {
  return Math.abs(name.length - setting.length) === 1 && isSimilar(name, setting)
}

/** One letter is missing, added, wrong or swapped. Two would find names of other programs, such as BRANCH_NAME. */
function isSimilar(name: string, setting: string): boolean {
  const [one, other] = withoutEqualEnds(name.toUpperCase(), setting)
  return (one.length <= 1 && other.length <= 1) || isSwapped(one, other)
}

function isSwapped(one: string, other: string): boolean {
  return one.length === 2 && other.length === 2 && one[0] === other[1] && one[1] === other[0]
}

function withoutEqualEnds(one: string, other: string): [string, string] {
  const length = Math.min(one.length, other.length)
  let start = 0
  while (start < length && one[start] === other[start]) start += 1
  let end = 0
  while (end < length - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)]
}
