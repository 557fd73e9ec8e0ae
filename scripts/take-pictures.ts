// npm run pictures: takes the pictures in docs/images, of the example users of npm run seed, in light colors.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { EXAMPLE_PASSWORD } from '../server/commands/example-data.ts'
import { launchBrowser } from '../test/support/browser.ts'
import { getFreePort } from '../test/support/free-port.ts'
import { appOfUri } from '../test/support/two-step.ts'
import { until } from '../test/support/until.ts'
import { fillSignIn } from '../test/support/visits.ts'

const IMAGES = join(import.meta.dirname, '../docs/images')
const MAIN = join(import.meta.dirname, '../server/main.mjs')
const SIZE = { width: 1120, height: 900 }
/** User → address of the page → name of the picture. */
const PICTURES: Record<string, Record<string, string>> = {
  'olga@example.com': {
    '/account': 'account',
    '/account/security': 'security',
    '/organizations/example-works': 'organization',
    '/organizations/example-works/members': 'members',
    '/organizations/example-works/invitations': 'invitations',
    '/organizations/example-works/api-keys': 'api-keys',
    '/organizations/example-works/settings': 'organization-settings',
    '/organizations/new': 'new-organization',
  },
  'ada@example.com': {
    '/staff': 'staff',
    '/staff/users': 'staff-users',
    '/staff/organizations': 'staff-organizations',
    '/staff/invitations': 'staff-invitations',
    '/staff/emails': 'staff-emails',
    '/staff/audit': 'staff-audit',
    '/staff/system': 'staff-system',
    '/api/auth/reference': 'reference',
    '/dev/mailbox': 'dev-mailbox',
  },
}

const folder = mkdtempSync(join(tmpdir(), 'accounts-pictures-'))
process.once('exit', () => rmSync(folder, { recursive: true }))
const port = String(await getFreePort())
const baseUrl = `http://localhost:${port}`
const environment = { ...process.env, PORT: port, DATABASE_URL: `sqlite:${folder}/accounts.db`, LOG_LEVEL: 'warn' }
const run = (command: string) => spawn(process.execPath, [MAIN, command], { env: environment, stdio: 'inherit' })

const [seedCode] = await once(run('seed'), 'exit')
if (seedCode !== 0) throw new Error('The example users could not be created.')
const service = run('start')
try {
  const browser = await launchBrowser()
  await until(
    () =>
      fetch(`${baseUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    'the service is ready',
  )
  await takeEntryPictures(browser)
  for (const [email, pages] of Object.entries(PICTURES)) await takePicturesOf(browser, email, pages)
  await takePicturesOfTwoSteps(browser, 'mia@example.com')
  await browser.close()
} finally {
  service.kill()
  await once(service, 'exit')
}
process.exit()

async function takeEntryPictures(browser: Browser): Promise<void> {
  const page = await newPage(browser)
  await take(page, '/sign-in', 'sign-in')
  const { emails } = await (await page.request.get('/dev/mailbox/emails')).json()
  const invitation = emails.find(({ to }: { to: string }) => to === 'pending@example.com')
  await take(page, new URL(/https?:\S+\/invite\/\S+/.exec(invitation.text)?.[0] ?? '').pathname, 'sign-up')
}

async function takePicturesOf(browser: Browser, email: string, pages: Record<string, string>): Promise<void> {
  const page = await newPage(browser)
  await page.goto('/sign-in')
  await fillSignIn(page, email, EXAMPLE_PASSWORD)
  await page.waitForURL('**/account')
  for (const [path, name] of Object.entries(pages)) await take(page, path, name)
  if (email !== 'ada@example.com') return
  await page.goto('/staff/users')
  await page.getByRole('link', { name: 'Ben Banned' }).click()
  // The page loads the reason after the name.
  await page.getByRole('heading', { name: 'Ben Banned can’t sign in' }).waitFor()
  await takeCurrent(page, 'staff-user')
}

/** The setup of an authenticator app, and the next sign-in. */
async function takePicturesOfTwoSteps(browser: Browser, email: string): Promise<void> {
  const page = await newPage(browser)
  await page.goto('/sign-in')
  await fillSignIn(page, email, EXAMPLE_PASSWORD)
  await page.waitForURL('**/account')
  await page.goto('/account/security#two-step')
  await page.getByLabel('Your password', { exact: true }).fill(EXAMPLE_PASSWORD)
  await page.getByRole('button', { name: 'Go on' }).click()
  const uri = await page.getByRole('link', { name: 'Open it with the key' }).getAttribute('href')
  await page.getByRole('img', { name: 'QR code' }).waitFor()
  await page.locator('#two-step').evaluate((row) => row.scrollIntoView())
  await takeCurrent(page, 'two-step')
  await page.getByLabel('Code of your authenticator app').fill(appOfUri(uri ?? '').codeAt(Date.now()))
  await page.getByLabel('I have stored them').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL('**/sign-in')
  await fillSignIn(page, email, EXAMPLE_PASSWORD)
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
  await takeCurrent(page, 'second-step')
}

async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ baseURL: baseUrl, viewport: SIZE, colorScheme: 'light' })
  return context.newPage()
}

async function take(page: Page, path: string, name: string): Promise<void> {
  await page.goto(path)
  await takeCurrent(page, name)
}

async function takeCurrent(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(IMAGES, `${name}.png`) })
}
