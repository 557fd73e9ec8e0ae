import { type Html, html } from '../../platform/mail/html.ts'
import { readPageDocument } from './page.ts'

export type PlainPage = (page: { title: string; content: Html; dataError?: string }) => string

const CARD = '<div class="card"></div>'
const UNBUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8" /><meta name="referrer" content="no-referrer" /><title></title></head><body>${CARD}</body></html>`
const SCRIPTS = /<script.*?<\/script>|<link rel="modulepreload".*?>|<noscript>.*?<\/noscript>/gs

/** Pages without scripts, for responses that must not depend on the application of the pages. */
export function createPlainPage(pagesFolder: string, brand: { name: string }): PlainPage {
  const document = (readPageDocument(pagesFolder, brand)() ?? UNBUILT)
    .replace(SCRIPTS, '')
    .replace('class="page shell"', 'class="page"')
    // With no-referrer, browsers send a form with the origin "null", which the service refuses.
    .replace('content="no-referrer"', 'content="same-origin"')
  return ({ title, content, dataError }) => {
    const attribute = dataError === undefined ? '' : html` data-error="${dataError}"`.toString()
    const heading = html`<title>${title} · ${brand.name}</title>`.toString()
    const main = html`<main class="card"><h1>${title}</h1>${content}</main>`.toString()
    return document
      .replace('<html', (tag) => tag + attribute)
      .replace(/<title>.*<\/title>/, () => heading)
      .replace(CARD, () => main)
  }
}
