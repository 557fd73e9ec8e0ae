import { Type } from 'typebox'
import type { Context } from '../../core/context.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { answers, errorAnswers, Fields, Id, PageAnswer, Timestamp } from '../../platform/http/schemas.ts'
import { toIso } from '../../platform/http/time.ts'
import type { App } from '../../platform/http/typed-app.ts'
import { listStoredEmails } from './list-stored-emails.ts'

const Letters = Type.Object({
  letters: Type.Array(
    Type.Object({
      id: Type.String(),
      to: Type.String(),
      subject: Type.String(),
      text: Type.String(),
      html: Type.String(),
      createdAt: Timestamp,
    }),
  ),
})

/** A letter is a page of its own: no scripts, its own inline styles, and links that open in the whole window. */
const LETTER_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation"

/** The letters that would have been mailed. These routes exist on localhost without SMTP_URL, and nowhere else. */
export function registerMailboxRoutes(app: App, context: Context): void {
  app.get(
    '/dev/mailbox/letters',
    {
      config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
      schema: { summary: 'The letters that were kept, newest first', response: answers(Letters) },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      const letters = await listStoredEmails(context)
      return { letters: letters.map((letter) => ({ ...letter, createdAt: toIso(letter.createdAt) })) }
    },
  )

  app.get(
    '/dev/mailbox/letters/:id.html',
    {
      config: { access: 'public', rateLimit: 'none', impersonated: 'allowed' },
      schema: {
        summary: 'A letter as mail programs show it',
        params: Fields({ id: Id }),
        response: { ...PageAnswer, ...errorAnswers(['NOT_FOUND']) },
      },
    },
    async (request, reply) => {
      const letter = (await listStoredEmails(context)).find(({ id }) => id === request.params.id)
      if (!letter) throw new ApiError('NOT_FOUND')
      reply.header('content-security-policy', LETTER_POLICY).header('x-frame-options', 'SAMEORIGIN')
      return reply.type('text/html; charset=utf-8').send(letter.html.replace('<head>', '<head><base target="_top">'))
    },
  )
}
