import { newAddress } from './client.ts'
import type { Service } from './service.ts'

/**
 * Options of the official client without cookies, for another service or a mobile app.
 * @returns also the session token, which the client replaces
 */
export function bearerOptions({ baseUrl }: Service, token = '') {
  const held = { token }
  const fetchOptions = {
    auth: { type: 'Bearer' as const, token: () => held.token },
    headers: { 'x-forwarded-for': newAddress() },
    onSuccess({ response }: { response: Response }) {
      held.token = response.headers.get('set-auth-token') ?? held.token
    },
  }
  return { held, options: { baseURL: baseUrl, fetchOptions } }
}
