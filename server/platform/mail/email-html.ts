import { darkPalette, lightPalette, type Palette } from '../brand/palette.ts'
import type { Brand } from '../config/read-brand.ts'
import type { Email } from './email.ts'
import type { FooterLine } from './email-footer.ts'
import { type Html, html } from './html.ts'

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
/** Long links and names must not widen the layout. */
const BREAK = 'overflow-wrap:anywhere;word-break:break-word'

/** The same colors as in web/shared/styles/tokens.css. */
const LIGHT = { paper: '#f6f5f2', surface: '#ffffff', ink: '#1c2321', soft: '#58625e', line: '#e1dfd9' }
const DARK = { paper: '#121615', surface: '#1a201e', ink: '#e8edeb', soft: '#a2ada8', line: '#2d3633' }

/** Outlook takes the width from this table. */
const OUTLOOK_START = html`<!--[if mso]><table role="presentation" width="520" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->`
const OUTLOOK_END = html`<!--[if mso]></td></tr></table><![endif]-->`

/**
 * Outlook for Windows needs tables: it knows neither `max-width` nor the padding of links. Nothing is loaded, because
 * mail programs block external content.
 */
export function toHtml(email: Email, footer: FooterLine[], brand: Pick<Brand, 'name' | 'accent'>): string {
  const document = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>${email.subject}</title>
<style>${styleOf(brand)}</style>
</head>
<body class="paper" style="margin:0;padding:0;background:${LIGHT.paper}">
${toPreheader(email.paragraphs[0] ?? '')}
<table role="presentation" class="paper" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${LIGHT.paper}" style="background:${LIGHT.paper}">
<tr><td class="edge" align="center" style="padding:32px 16px">
${OUTLOOK_START}
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px;table-layout:fixed">
<tr><td class="ink" align="left" style="${FONT};padding:0 4px 16px;font-size:16px;font-weight:600;line-height:1.4;color:${LIGHT.ink};${BREAK}">${brand.name}</td></tr>
<tr><td class="card ink" align="left" bgcolor="${LIGHT.surface}" style="${FONT};padding:32px;background:${LIGHT.surface};border:1px solid ${LIGHT.line};border-radius:12px;font-size:16px;line-height:1.55;color:${LIGHT.ink};${BREAK}">
${toContent(email, lightPalette(brand.accent))}
</td></tr>
<tr><td class="soft" align="left" style="${FONT};padding:16px 4px 0;font-size:13px;line-height:1.5;color:${LIGHT.soft};${BREAK}">
${footer.map((line) => toFooterLine(line))}
</td></tr>
</table>
${OUTLOOK_END}
</td></tr>
</table>
</body>
</html>`
  return `<!doctype html>${document}`
}

/** Mail programs that ignore style elements show the light, inline styles. */
function styleOf({ accent }: Pick<Brand, 'accent'>): string {
  const dark = darkPalette(accent)
  return `
:root { color-scheme: light dark; supported-color-schemes: light dark }
@media (max-width: 480px) { .edge { padding: 24px 12px !important } .card { padding: 24px 20px !important } }
@media (prefers-color-scheme: dark) {
.paper { background: ${DARK.paper} !important }
.card { background: ${DARK.surface} !important; border-color: ${DARK.line} !important }
.ink { color: ${DARK.ink} !important }
.soft { color: ${DARK.soft} !important }
.link { color: ${dark.accent} !important }
.button { background: ${dark.accent} !important; color: ${dark.onAccent} !important }
}
`
}

/** The filler hides the rest of the email. Spam filters count tiny hidden letters (FONT_INVIS_MSGID). */
function toPreheader(text: string): Html {
  return html`<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${text}${'\u00a0\u200c'.repeat(60)}</div>`
}

function toContent({ heading, paragraphs, action, footnote }: Email, palette: Palette): Html {
  return html`<h1 style="margin:0 0 16px;font-size:22px;font-weight:600;line-height:1.3">${heading}</h1>
${paragraphs.map((paragraph) => html`<p style="margin:0 0 16px">${paragraph}</p>\n`)}
${action ? toButton(action, palette) : ''}
${footnote === undefined ? '' : html`<p class="soft" style="margin:24px 0 0;font-size:14px;color:${LIGHT.soft}">${toLinks(footnote)}</p>`}`
}

/** Outlook for Windows makes no link of a URL in a sentence. A full stop at its end does not belong to it. */
function toLinks(sentence: string): Html[] {
  const parts = sentence.split(/(https?:\/\/\S*[^\s.])/)
  return parts.map((part, index) => (index % 2 === 0 ? html`${part}` : toLink(part, part)))
}

function toLink(url: string, label: string): Html {
  return html`<a class="soft" href="${url}" style="color:${LIGHT.soft}">${label}</a>`
}

/** Outlook ignores the padding of the link and uses `mso-padding-alt` of the cell. */
function toButton({ label, url }: NonNullable<Email['action']>, { accent, onAccent }: Palette): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0 16px">
<tr><td class="button" align="center" bgcolor="${accent}" style="background:${accent};border-radius:8px;mso-padding-alt:12px 22px">
<a class="button" href="${url}" style="display:inline-block;padding:12px 22px;background:${accent};border-radius:8px;color:${onAccent};font-size:16px;font-weight:600;line-height:1.4;text-decoration:none">${label}</a>
</td></tr>
</table>
<p class="soft" style="margin:0;font-size:13px;color:${LIGHT.soft}">Or copy this link into your browser:<br><a class="link" href="${url}" style="color:${accent};word-break:break-all">${url}</a></p>`
}

function toFooterLine({ text, link }: FooterLine): Html {
  const address = link ? html` ${toLink(link.url, link.label)}` : ''
  return html`<p style="margin:0 0 4px">${text}${address}</p>\n`
}
