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
  /** Every value of a cookie that was sent several times, such as for several paths; equal ones once. */
  readAll(request: FastifyRequest, name: CookieName): string[]
  /** Without a lifetime it ends with the browser's session. */
  set(reply: FastifyReply, name: CookieName, value: string, maxAgeSeconds?: number): void
  clear(reply: FastifyReply, name: CookieName): void
}

/** Tokens and references. Other values are not ours, and may have characters that no database can store. */
const OWN_VALUE = /^[\w.-]+$/

/** On https the names begin with `__Host-`, which browsers bind to this exact host (RFC 6265bis, section 4.1.3.2). */
export function createCookies(baseUrl: string): Cookies {
  const secure = baseUrl.startsWith('https:')
  const fullName = (name: CookieName): string => (secure ? `__Host-${name}` : name)
  const attributes = { path: '/', httpOnly: true, secure, sameSite: 'lax' } as const

  return {
    read: ({ headers, cookies }, name) => {
      if (headers.cookie === undefined) return undefined
      const value = cookies[fullName(name)]
      return value !== undefined && OWN_VALUE.test(value) ? value : undefined
    },
    readAll({ headers }, name) {
      if (headers.cookie === undefined) return []
      const start = `${fullName(name)}=`
      const pairs = headers.cookie.split(';').map((pair) => pair.trim())
      return [...new Set(pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length)))]
    },
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
