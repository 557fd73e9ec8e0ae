import { Type } from 'typebox'
import { ListPageFields, UncountedPageFields } from '../../../platform/http/paging.ts'
import {
  Described,
  EmailAddress,
  Fields,
  Id,
  Line,
  NullableString,
  NullableTimestamp,
  OneOf,
  Query,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import { EMAIL_STATUSES } from '../../../platform/mail/list-emails.ts'

export const RetryEmailBody = Fields({ emailId: Id })
export const RetryEmailResponse = Type.Object({ status: Type.Boolean(), message: Type.String() })

export const ListEmailsQuery = Fields({
  recipient: Type.Optional(Described(EmailAddress, 'the whole email address')),
  kind: Type.Optional(Line(64)),
  status: Type.Optional(OneOf(...EMAIL_STATUSES)),
  ...ListPageFields,
})
export const ListUserEmailsQuery = Query({ userId: Id, ...ListPageFields })

export const ListEmailsResponse = Type.Object({
  emails: Type.Array(
    Type.Object({
      id: Type.String(),
      kind: Type.String(),
      recipient: Type.String(),
      subjectId: NullableString,
      organizationId: NullableString,
      status: OneOf(...EMAIL_STATUSES),
      attempts: Type.Integer({ description: 'the failed ones, except while the mail server accepts no email' }),
      createdAt: Timestamp,
      lastAttemptAt: NullableTimestamp,
      nextAttemptAt: Described(NullableTimestamp, 'null after the last attempt'),
      sentAt: NullableTimestamp,
      failedAt: NullableTimestamp,
      answer: Described(NullableString, 'the response of the mail server, or why there is none'),
      canRetry: Type.Boolean({ description: 'a failed email whose text is still stored' }),
    }),
  ),
  ...UncountedPageFields,
})

export const SendTestEmailResponse = Type.Object({
  status: Type.Boolean(),
  emailId: Type.String(),
  recipient: Type.String(),
})
