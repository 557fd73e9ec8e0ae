import type { FastifyReply, FastifyRequest } from 'fastify'

export const SESSION_COOKIE = 'session'
export const INVITATION_COOKIE = 'invitation'
/** Names the browser that a passkey ceremony was started in, where there is no session to name it. */
export const PASSKEY_COOKIE = 'passkey'
/** Names a browser that users have signed in with. It is no credential: it only gives guesses of its own. */
export const DEVICE_COOKIE = 'device'
/** Every cookie of ours. Browsers send them with requests that other sites cause, so the origin check looks for each. */
export const COOKIE_NAMES = [SESSION_COOKIE, INVITATION_COOKIE, PASSKEY_COOKIE, DEVICE_COOKIE] as const
export type CookieName = (typeof COOKIE_NAMES)[number]

/** Cookies that only we read: never a script, never another host, and not with requests that other sites make. */
export interface Cookies {
  read(request: FastifyRequest, name: CookieName): string | undefined
  /** Without a lifetime it ends with the browser's session. */
  set(reply: FastifyReply, name: CookieName, value: string, maxAgeSeconds?: number): void
  clear(reply: FastifyReply, name: CookieName): void
}

/** On https the names begin with `__Host-`, which browsers bind to this exact host (RFC 6265bis, section 4.1.3.2). */
export function createCookies(baseUrl: string): Cookies {
  const secure = baseUrl.startsWith('https:')
  const fullName = (name: CookieName): string => (secure ? `__Host-${name}` : name)
  const attributes = { path: '/', httpOnly: true, secure, sameSite: 'lax' } as const

  return {
    read: (request, name) => (request.headers.cookie === undefined ? undefined : request.cookies[fullName(name)]),
    set(reply, name, value, maxAgeSeconds) {
      reply.setCookie(fullName(name), value, {
        ...attributes,
        ...(maxAgeSeconds !== undefined && { maxAge: maxAgeSeconds }),
      })
    },
    clear(reply, name) {
      reply.clearCookie(fullName(name), attributes)
    },
  }
}
