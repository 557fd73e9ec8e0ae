/** The source of both the text and the HTML of an email. */
export interface Email {
  /** Such as `invitation`. Each kind has its own limit. */
  kind: string
  recipient: string
  /** The id of the invitation or other subject, by which the outbox lists the emails about it. */
  subjectId?: string
  /** The organization whose daily limit counts the email. */
  organizationId?: string
  /** Emails with low priority are sent after the others. */
  priority?: 'low'
  subject: string
  heading: string
  paragraphs: string[]
  action?: { label: string; url: string }
  /** Small print, with advice for a user who did not cause the email. */
  footnote?: string
  /** Why the recipient gets the email, after "because". By default, the account of the recipient uses the address. */
  reason?: string
}

export interface RenderedEmail {
  subject: string
  text: string
  html: string
}
