import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import { readConfig } from '../../server/platform/config/config.ts'
import { renderEmail } from '../../server/platform/mail/render-email.ts'
import { launchBrowser } from '../support/browser.ts'
import { everyEmail } from '../support/every-email.ts'

const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** In the dark style only the colors differ. */
const RULES = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  dark: { type: 'rule', values: ['color-contrast'] },
}
/** The widths of a telephone and of the reading pane of a mail program. */
const WIDTHS = [320, 600]

const config = readConfig({
  SECRET: 'a secret of at least thirty-two characters',
  BRAND_NAME: 'Example Works',
  SUPPORT_URL: 'mailto:help@example.com',
  PRIVACY_URL: 'https://example.com/privacy',
})

describe('Emails in a browser', () => {
  let browser: Browser
  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser?.close())

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`Every email fits 320 and 600 pixels and meets WCAG 2.2 AA in the ${colorScheme} style`, async () => {
      const page = await browser.newPage({ colorScheme })
      await page.evaluate(axe)
      const options = JSON.stringify({ runOnly: RULES[colorScheme], resultTypes: ['violations'] })
      for (const email of everyEmail) {
        const { html } = renderEmail(email, config)
        await page.setContent(html)
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 })
          const overflow = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          )
          assert.equal(overflow, 0, `${email.subject}, ${width} px`)
        }
        const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`)
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
          [],
          email.subject,
        )
      }
    })
  }
})
