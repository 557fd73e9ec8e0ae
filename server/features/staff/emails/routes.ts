import { requireStaff } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { parseListPage } from '../../../platform/http/paging.ts'
import { NoFields, responses } from '../../../platform/http/schemas.ts'
import { listUserEmails, readEmailPage } from './list-emails.ts'
import { retryEmail } from './retry-emails.ts'
import {
  ListEmailsQuery,
  ListEmailsResponse,
  ListUserEmailsQuery,
  RetryEmailBody,
  RetryEmailResponse,
  SendTestEmailResponse,
} from './schemas.ts'
import { sendTestEmail } from './send-test-email.ts'

export function registerStaffEmailRoutes(app: HttpApp, context: Context): void {
  app.get(
    '/api/auth/admin/list-emails',
    {
      config: { access: { staff: 'email.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List the emails of the last 90 days, newest first, by recipient, kind and status',
        querystring: ListEmailsQuery,
        response: responses(ListEmailsResponse, 'INVALID_EMAIL'),
      },
    },
    async (request) => {
      const { recipient, kind, status } = request.query
      const filter = {
        ...(recipient !== undefined && { recipient: parseEmailAddress(recipient, 'recipient') }),
        ...(kind !== undefined && { kind }),
        ...(status !== undefined && { status }),
      }
      return readEmailPage(context, filter, parseListPage(request.query))
    },
  )

  app.get(
    '/api/auth/admin/list-user-emails',
    {
      config: { access: { staff: 'email.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List the emails to the email address of a user, newest first',
        querystring: ListUserEmailsQuery,
        response: responses(ListEmailsResponse, 'USER_NOT_FOUND'),
      },
    },
    async (request) => {
      return listUserEmails(context, request.query.userId, parseListPage(request.query))
    },
  )

  app.post(
    '/api/auth/admin/retry-email',
    {
      config: { access: { staff: 'email.retry' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Retry an email that failed within the last 24 hours; a link in it may have expired',
        body: RetryEmailBody,
        response: responses(RetryEmailResponse, 'EMAIL_NOT_FOUND'),
      },
    },
    async (request) => {
      await retryEmail(context, actorOf(request), requireStaff(request), request.body.emailId)
      return { status: true, message: 'The email is sent again. A link in it may have expired.' }
    },
  )

  app.post(
    '/api/auth/admin/send-test-email',
    {
      config: { access: { staff: 'email.test', fresh: true }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Send an email to your own address, to see that emails arrive',
        body: NoFields,
        response: responses(SendTestEmailResponse),
      },
    },
    async (request) => ({ status: true, ...(await sendTestEmail(context, actorOf(request), requireStaff(request))) }),
  )
}
