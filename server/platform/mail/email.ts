/** The text and the HTML of an email come from the same words. */
export interface Email {
  /** Such as `invitation`: limits count per kind. */
  kind: string
  recipient: string
  /** The id of the invitation or other subject, which shows what became of its emails. */
  subjectId?: string
  /** The organization that sends it, whose daily limit counts it. */
  organizationId?: string
  /** Low lets other emails go first. */
  priority?: 'low'
  subject: string
  heading: string
  paragraphs: string[]
  action?: { label: string; url: string }
  /** Small print: what to do if it was not you. */
  footnote: string
}

export interface RenderedEmail {
  subject: string
  text: string
  html: string
}
