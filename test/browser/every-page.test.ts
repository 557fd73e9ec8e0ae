import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Frame, Page } from 'playwright-core'
import { findPage, pagePaths } from '../../web/shared/pages.ts'
import { everyPage } from '../support/every-page.ts'
import { inBrowser } from '../support/pages.ts'
import { startService } from '../support/service.ts'
import { heading } from '../support/visits.ts'

const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const RULES = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }
/** In dark mode only the colors differ, so only this rule is checked again. */
const DARK_RULES = { type: 'rule', values: ['color-contrast'] }
/**
 * The narrowest screen of WCAG 2.2 (1.4.10) is 320 pixels wide, of which a scroll bar takes 15. The other screen is
 * wide. `npm run test:long` adds two screens, and forced colors.
 */
const isLong = process.env.ALL_WIDTHS === 'true'
const WIDTHS = isLong ? [305, 768, 1280, 2560] : [305, 1280]

inBrowser('Every page', (pages) => {
  const scenesLeft = new Set(everyPage)
  const visited = new Set<string | undefined>()

  for (const scene of everyPage) {
    test(`Every page meets WCAG 2.2 AA at ${WIDTHS.join(', ')} pixels, light and dark: ${scene.name}`, async () => {
      const { service, newPage } = pages()
      const page = await newPage()
      const note = (frame: Frame) => visited.add(findPage(new URL(frame.url()).pathname))
      page.on('framenavigated', note)
      await scene.show(page, service)
      page.off('framenavigated', note)
      await assertAccessible(page)
      scenesLeft.delete(scene)
    })
  }

  test('Every page meets WCAG 2.2 AA before the setup, too: /', async (t) => {
    const service = await startService({ engine: 'sqlite' })
    t.after(() => service.stop())
    const page = await pages().newPage({ baseURL: service.baseUrl })
    await page.goto('/')
    await heading(page, 'Set up Accounts')
    await assertAccessible(page)
  })

  after(() => {
    // A name pattern leaves scenes out.
    if (scenesLeft.size > 0) return
    const pagesWithoutScene = pagePaths.filter((path) => !visited.has(path))
    assert.deepEqual(pagesWithoutScene, [])
  })
})

async function assertAccessible(page: Page): Promise<void> {
  // axe does not check the contrast of a disabled button.
  await page.locator('.unseen').first().waitFor({ state: 'detached' })
  await page.evaluate(axe)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    assert.equal(await overflow(page), 0, `${width} px wide, something is wider`)
    await page.emulateMedia({ colorScheme: 'light' })
    assert.deepEqual(await findings(page, RULES), [], `${width} px`)
    if (width === WIDTHS[0] && !isLong) continue
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await findings(page, DARK_RULES), [], `${width} px, dark`)
  }
  if (!isLong) return
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
  assert.deepEqual(await findings(page, RULES), [], 'forced colors')
}

/** By how many pixels the page can be scrolled sideways. */
function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

async function findings(page: Page, runOnly: object): Promise<string[]> {
  const options = { runOnly, resultTypes: ['violations'] }
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
