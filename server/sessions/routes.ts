import type { FastifyReply, FastifyRequest } from 'fastify'
import { actorOf } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import { type Cookies, SESSION_COOKIE } from '../http/cookies.ts'
import { answers } from '../http/schemas.ts'
import type { App } from '../http/typed-app.ts'
import { endSessionOfToken } from './end-session.ts'
import { GetSessionAnswer, GetSessionQuery, NoFields, SignOutAnswer } from './schemas.ts'
import { toSessionAndUser } from './wire.ts'

/** Asking for the session, and ending it. */
export function registerSessionRoutes(app: App, context: Context, cookies: Cookies): void {
  const getSession = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('cache-control', 'no-store')
    return request.caller && toSessionAndUser(request.caller, context.now())
  }

  app.get(
    '/api/auth/get-session',
    {
      config: { access: 'anyone', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'The session and its user; null when nobody is signed in',
        querystring: GetSessionQuery,
        response: answers(GetSessionAnswer),
      },
    },
    getSession,
  )

  app.post(
    '/api/auth/get-session',
    {
      config: { access: 'anyone', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'The session and its user; null when nobody is signed in',
        body: NoFields,
        querystring: GetSessionQuery,
        response: answers(GetSessionAnswer),
      },
    },
    getSession,
  )

  app.post(
    '/api/auth/sign-out',
    {
      config: { access: 'anyone', rateLimit: 'change', impersonated: 'allowed' },
      schema: { summary: 'End the session', body: NoFields, response: answers(SignOutAnswer) },
    },
    async (request, reply) => {
      const { caller } = request
      if (caller) {
        await context.database
          .transaction()
          .execute((transaction) => endSessionOfToken(transaction, context, actorOf(request), caller.token))
      }
      cookies.clear(reply, SESSION_COOKIE)
      return { success: true, url: null, redirect: false }
    },
  )
}
