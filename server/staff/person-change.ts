import { ApiError, type ErrorCode } from '../http/errors.ts'
import type { PersonChange } from './update-user.ts'

const CHANGEABLE = ['name', 'image', 'email', 'emailVerified']

/** Fields that mean power, and where it is given and taken (CVE-2026-40172). */
const ELSEWHERE: Record<string, string> = {
  role: 'Change it with set-role.',
  banned: 'Use ban-user and unban-user.',
  banReason: 'Use ban-user and unban-user.',
  banExpires: 'Use ban-user and unban-user.',
  password: 'Set it with set-user-password.',
  id: 'It never changes.',
  createdAt: 'It never changes.',
  updatedAt: 'It is kept by the service.',
  twoFactorEnabled: 'It is kept by the service.',
}

/**
 * The `data` of update-user. The fields that may be changed are checked by the schema.
 * @throws ApiError FIELD_NOT_ALLOWED, PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER for any other field
 */
export function parsePersonChange(data: PersonChange): PersonChange {
  for (const name of Object.keys(data)) {
    if (CHANGEABLE.includes(name)) continue
    const code: ErrorCode = name === 'password' ? 'PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER' : 'FIELD_NOT_ALLOWED'
    const where = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : 'There is no such field.'
    throw new ApiError(code, { field: `data.${name}`, message: `data.${name} can not be set here. ${where}` })
  }
  return data
}
