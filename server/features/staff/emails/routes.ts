import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { retryEmail } from './retry-emails.ts'
import { RetryEmailAnswer, RetryEmailBody } from './schemas.ts'

export function registerStaffEmailRoutes(app: App, context: Context): void {
  app.post(
    '/api/auth/admin/retry-email',
    {
      config: { access: { staff: 'email.retry' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Retry an email that failed within the last 24 hours; a link in it may have expired',
        body: RetryEmailBody,
        response: answers(RetryEmailAnswer, 'EMAIL_NOT_FOUND'),
      },
    },
    async (request) => {
      await retryEmail(context, actorOf(request), request.body.emailId)
      return { status: true, message: 'The email is sent again. A link in it may have expired.' }
    },
  )
}
