import type { Page } from 'playwright-core'
import type { Service } from './service.ts'
import { appOfUri } from './two-step.ts'
import { PASSWORD } from './users.ts'

/** Sets two-step verification up on a page that offers it, until the recovery codes are shown. */
export async function showRecoveryCodes({ context }: Service, page: Page): Promise<void> {
  await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Go on', exact: true }).click()
  const uri = await page.getByRole('link', { name: 'Open it with the key' }).getAttribute('href')
  await page.getByLabel('Code of your authenticator app').fill(appOfUri(uri ?? '').codeAt(context.now()))
  await page.getByRole('heading', { name: 'Store your recovery codes' }).waitFor()
}

export function countRecoveryCodes(page: Page): Promise<number> {
  return page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').count()
}
