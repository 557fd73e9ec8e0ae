/** An email as a conversation with a mail server sends it. */
export const OUTGOING_EMAIL = {
  from: 'accounts@example.com',
  to: 'ada@example.com',
  messageId: '<1@example.com>',
  date: new Date(0),
  subject: 'Hello',
  text: 'Hello',
  html: '<p>Hello</p>',
}
