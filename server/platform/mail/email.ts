import { createElement as h, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'

/** What a letter says; text and HTML come from the same words. */
export interface Email {
  /** For the timeline and the log, e.g. `invitation`. */
  kind: string
  recipient: string
  /** The id of what it is about, for whoever asks later what became of it. */
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

/** Renders both forms. React escapes whatever people wrote (CVE-2022-31127); there is nothing remote in it. */
export function renderEmail(email: Email): RenderedEmail {
  return {
    subject: oneLine(email.subject),
    text: toText(email),
    html: `<!doctype html>${renderToStaticMarkup(toHtml(email))}`,
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

/** Breaks lines at spaces; a link stays whole. */
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

const FONT = '-apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'

function toHtml({ subject, heading, paragraphs, action, footnote }: Email): ReactElement {
  return h(
    'html',
    { lang: 'en' },
    h(
      'head',
      null,
      h('meta', { charSet: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width' }),
      h('meta', { name: 'color-scheme', content: 'light dark' }),
      h('title', null, subject),
    ),
    h(
      'body',
      { style: { margin: 0, padding: '32px 16px', background: '#f6f5f2', color: '#22211f' } },
      h(Card, { heading, paragraphs, action, footnote }),
    ),
  )
}

type CardParts = Pick<Email, 'heading' | 'paragraphs' | 'footnote'> & { action: Email['action'] }

function Card({ heading, paragraphs, action, footnote }: CardParts): ReactElement {
  const card = { maxWidth: 520, margin: '0 auto', padding: '32px', background: '#ffffff', borderRadius: 12 }
  return h(
    'div',
    { style: { ...card, fontFamily: FONT, fontSize: 16, lineHeight: 1.55, overflowWrap: 'break-word' } },
    h('h1', { style: { margin: '0 0 16px', fontSize: 22, lineHeight: 1.3 } }, heading),
    ...paragraphs.map((paragraph, index) => h('p', { key: index, style: { margin: '0 0 16px' } }, paragraph)),
    action && h(Action, action),
    h('p', { style: { margin: '24px 0 0', fontSize: 13, color: '#5b6575' } }, footnote),
  )
}

function Action({ label, url }: { label: string; url: string }): ReactElement {
  const button = {
    display: 'inline-block',
    padding: '12px 20px',
    background: '#0f5c4d',
    color: '#ffffff',
    borderRadius: 8,
  }
  return h(
    'div',
    { style: { margin: '24px 0' } },
    h('a', { href: url, style: { ...button, textDecoration: 'none', fontWeight: 600 } }, label),
    h(
      'p',
      { style: { margin: '16px 0 0', fontSize: 13, color: '#5b6575' } },
      'Or copy this link into your browser: ',
      h('a', { href: url, style: { color: '#0f5c4d' } }, url),
    ),
  )
}
