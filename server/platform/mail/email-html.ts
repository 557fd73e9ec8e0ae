import type { Email } from './email.ts'
import { type Html, html } from './html.ts'

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
const PAGE = 'margin:0;padding:32px 16px;background:#f6f5f2;color:#22211f'
const CARD = `max-width:520px;margin:0 auto;padding:32px;background:#ffffff;border-radius:12px;${FONT};font-size:16px;line-height:1.55;overflow-wrap:break-word`
const HEADING = 'margin:0 0 16px;font-size:22px;line-height:1.3'
const PARAGRAPH = 'margin:0 0 16px'
const BUTTON =
  'display:inline-block;padding:12px 20px;background:#0f5c4d;color:#ffffff;border-radius:8px;text-decoration:none;font-weight:600'
const SMALL = 'font-size:13px;color:#5b6575'

/** The layout of every email. Styles are inline and nothing is loaded, because mail programs block external content. */
export function toHtml({ subject, heading, paragraphs, action, footnote }: Email): string {
  const document = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
</head>
<body style="${PAGE}">
<div style="${CARD}">
<h1 style="${HEADING}">${heading}</h1>
${paragraphs.map((paragraph) => html`<p style="${PARAGRAPH}">${paragraph}</p>\n`)}
${action ? toButton(action) : ''}
<p style="margin:24px 0 0;${SMALL}">${footnote}</p>
</div>
</body>
</html>`
  return `<!doctype html>${document}`
}

function toButton({ label, url }: NonNullable<Email['action']>): Html {
  return html`<div style="margin:24px 0">
<a href="${url}" style="${BUTTON}">${label}</a>
<p style="margin:16px 0 0;${SMALL}">Or copy this link into your browser: <a href="${url}" style="color:#0f5c4d">${url}</a></p>
</div>`
}
