import type { FastifyReply, FastifyRequest } from 'fastify'

export const SESSION_COOKIE = 'session'
export const INVITATION_COOKIE = 'invitation'
/** Identifies the browser of a passkey ceremony without a session. */
export const PASSKEY_COOKIE = 'passkey'
/** Identifies a browser of earlier sign-ins, which has password guesses of its own. It is no credential. */
export const DEVICE_COOKIE = 'device'
/** A sign-in with the right password that waits for the second step. */
export const TWO_FACTOR_COOKIE = 'two-factor'
/** The device is not asked for the second step. */
export const TRUSTED_DEVICE_COOKIE = 'trusted-device'
/** The origin check looks for each of them, because browsers send cookies with requests from other sites. */
export const COOKIE_NAMES = [
  SESSION_COOKIE,
  INVITATION_COOKIE,
  PASSKEY_COOKIE,
  DEVICE_COOKIE,
  TWO_FACTOR_COOKIE,
  TRUSTED_DEVICE_COOKIE,
] as const
export type CookieName = (typeof COOKIE_NAMES)[number]

export interface Cookies {
  read(request: FastifyRequest, name: CookieName): string | undefined
  /** The different values of a cookie, which browsers send several times if it was set for several paths. */
  readAll(request: FastifyRequest, name: CookieName): string[]
  /** Without a lifetime, the browser deletes the cookie when it closes. */
  set(reply: FastifyReply, name: CookieName, value: string, maxAgeSeconds?: number): void
  clear(reply: FastifyReply, name: CookieName): void
}

/** Tokens and references. Other values may contain characters that no database can store. */
const OWN_VALUE = /^[\w.-]+$/

/** With https the names begin with `__Host-`, which binds a cookie to this host (RFC 6265bis, section 4.1.3.2). */
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
      const pairs = cookiePairs(headers.cookie)
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

/** `trimStart` would remove the byte 0xA0, with which another subdomain could set a cookie named `__Host-…`. */
export function cookiePairs(header: string): string[] {
  return header.split(';').map((pair) => pair.trimEnd().replace(/^[ \t]+/, ''))
}
