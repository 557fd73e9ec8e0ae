import type { Email, RenderedEmail } from './email.ts'
import { toHtml } from './email-html.ts'

export function renderEmail(email: Email): RenderedEmail {
  return {
    subject: oneLine(email.subject),
    text: toText(email),
    html: toHtml(email),
  }
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim()
}

function toText({ heading, paragraphs, action, footnote }: Email): string {
  const link = action ? [`${action.label}:\n${action.url}`] : []
  return `${[heading, ...paragraphs, ...link, `--\n${footnote}`].map(wrap).join('\n\n')}\n`
}

const LINE_LENGTH = 76

/** Breaks lines at spaces, so that a link stays whole. */
function wrap(paragraph: string): string {
  return paragraph
    .split('\n')
    .map((line) => {
      const lines = ['']
      for (const word of line.split(' ')) {
        const last = lines.at(-1) ?? ''
        if (last && last.length + 1 + word.length > LINE_LENGTH) lines.push(word)
        else lines[lines.length - 1] = last ? `${last} ${word}` : word
      }
      return lines.join('\n')
    })
    .join('\n')
}
