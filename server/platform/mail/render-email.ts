import type { Config } from '../config/config.ts'
import { toOneLine } from '../one-line.ts'
import type { Email, RenderedEmail } from './email.ts'
import { type FooterLine, footerOf } from './email-footer.ts'
import { toHtml } from './email-html.ts'

export function renderEmail(email: Email, config: Pick<Config, 'brand'>): RenderedEmail {
  const footer = footerOf(email, config)
  return {
    // A long subject is folded at spaces. Mail filters refuse a line of spaces only (RFC 5322, section 3.2.2).
    subject: toOneLine(email.subject).replace(/\s+/g, ' '),
    text: toText(email, footer),
    html: toHtml(email, footer, config.brand),
  }
}

function toText({ heading, paragraphs, action, footnote }: Email, footer: FooterLine[]): string {
  const link = action ? [`${action.label}:\n${action.url}`] : []
  const advice = footnote === undefined ? [] : [footnote]
  const end = footer.map(({ text, link }) => (link ? `${text} ${link.label}` : text)).join('\n')
  return `${[heading, ...paragraphs, ...link, ...advice, `--\n${end}`].map(wrap).join('\n\n')}\n`
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
