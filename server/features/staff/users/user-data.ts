import { isReservedName } from '../../../core/users/custom-properties.ts'
import { ApiError, type ErrorCode } from '../../../platform/http/errors.ts'

const ALWAYS_ELSEWHERE = {
  banned: 'Use ban-user and unban-user.',
  banReason: 'Use ban-user and unban-user.',
  banExpires: 'Use ban-user and unban-user.',
  id: 'It never changes.',
  createdAt: 'It never changes.',
  updatedAt: 'The service sets it.',
  twoFactorEnabled: 'The service sets it.',
}

const FIELDS: Record<'create-user' | 'update-user', { named: string[]; elsewhere: Record<string, string> }> = {
  'create-user': {
    named: ['image', 'emailVerified'],
    elsewhere: {
      ...ALWAYS_ELSEWHERE,
      name: 'Send it beside data.',
      email: 'Send it beside data.',
      role: 'Send it beside data.',
      password: 'Send it beside data.',
    },
  },
  'update-user': {
    named: ['name', 'image', 'email', 'emailVerified'],
    elsewhere: {
      ...ALWAYS_ELSEWHERE,
      role: 'Change it with set-role.',
      password: 'Set it with set-user-password.',
    },
  },
}

/**
 * Fields that grant permissions have endpoints of their own (CVE-2026-40172).
 * @throws ApiError FIELD_NOT_ALLOWED; PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER
 */
export function parseUserData<T extends object>(
  data: T,
  endpoint: keyof typeof FIELDS,
): { named: T; properties: Record<string, unknown> } {
  const { named, elsewhere } = FIELDS[endpoint]
  const isNamed = ([name]: [string, unknown]) => named.includes(name)
  const entries = Object.entries(data)
  const others = entries.filter((entry) => !isNamed(entry))
  const reserved = others.find(([name]) => isReservedName(name))?.[0]
  if (reserved !== undefined) throw notAllowed(reserved, endpoint, elsewhere)
  return { named: Object.fromEntries(entries.filter(isNamed)) as T, properties: Object.fromEntries(others) }
}

function notAllowed(name: string, endpoint: string, elsewhere: Record<string, string>): ApiError {
  const isPassword = name === 'password' && endpoint === 'update-user'
  const code: ErrorCode = isPassword ? 'PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER' : 'FIELD_NOT_ALLOWED'
  const where = Object.hasOwn(elsewhere, name) ? elsewhere[name] : 'The name has another meaning.'
  return new ApiError(code, { field: `data.${name}`, message: `data.${name} can't be set here. ${where}` })
}
