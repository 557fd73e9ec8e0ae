import { request } from '../shared/api/request.ts'

export function verifyPassword(password: string): Promise<unknown> {
  return request('/api/auth/verify-password', { password })
}
