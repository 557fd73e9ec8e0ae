import type { Context } from '../../core/context.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { errorResponses, Fields, Id, PageResponse, responses } from '../../platform/http/schemas.ts'
import { toIso } from '../../platform/http/time.ts'
import { listStoredEmails } from './list-stored-emails.ts'
import { StoredEmails } from './schemas.ts'

const EMAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation"

/** Registered on localhost without SMTP_URL only. */
export function registerMailboxRoutes(app: HttpApp, context: Context): void {
  app.get(
    '/dev/mailbox/emails',
    {
      config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
      schema: { summary: 'The stored emails, newest first', response: responses(StoredEmails) },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      const emails = await listStoredEmails(context)
      return { emails: emails.map((email) => ({ ...email, createdAt: toIso(email.createdAt) })) }
    },
  )

  app.get(
    '/dev/mailbox/emails/:id.html',
    {
      config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'An email as mail programs show it',
        params: Fields({ id: Id }),
        response: { ...PageResponse, ...errorResponses(['NOT_FOUND']) },
      },
    },
    async (request, reply) => {
      const email = (await listStoredEmails(context)).find(({ id }) => id === request.params.id)
      if (!email) throw new ApiError('NOT_FOUND')
      reply.header('content-security-policy', EMAIL_POLICY).header('x-frame-options', 'SAMEORIGIN')
      return reply.type('text/html; charset=utf-8').send(email.html.replace('<head>', '<head><base target="_top">'))
    },
  )
}
