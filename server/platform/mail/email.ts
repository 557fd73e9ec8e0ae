/** Each kind has its own limit. The outbox may have kinds of an earlier version. */
export type EmailKind =
  | 'account made'
  | 'change email'
  | 'delete user'
  | 'email change requested'
  | 'email changed'
  | 'email restored'
  | 'email set by staff'
  | 'invitation'
  | 'new sign-in'
  | 'organization deleted'
  | 'ownership ended'
  | 'ownership given'
  | 'ownership received'
  | 'passkey added'
  | 'passkey deleted'
  | 'password changed'
  | 'password link by staff'
  | 'password set by staff'
  | 'recovery code used'
  | 'recovery codes created'
  | 'reset password'
  | 'second step code'
  | 'second step locked'
  | 'set password'
  | 'sign-in not finished'
  | 'test email'
  | 'two-step disabled'
  | 'two-step enabled'
  | 'two-step key shown'
  | 'two-step reset by staff'
  | 'user deleted'
  | 'verify email'

export interface Email {
  kind: EmailKind
  recipient: string
  /** The id of the invitation or other subject, by which the outbox lists the emails about it. */
  subjectId?: string
  /** The organization whose daily limit counts the email. */
  organizationId?: string
  priority?: 'low'
  subject: string
  heading: string
  paragraphs: string[]
  action?: { label: string; url: string }
  /** Advice for a user who did not cause the email. */
  footnote?: string
  /** Why the recipient gets the email, after "because". By default, the account of the recipient uses the address. */
  reason?: string
}

export interface RenderedEmail {
  subject: string
  text: string
  html: string
}
