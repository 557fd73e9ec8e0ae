import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { authorizationRequest } from './openid.ts'
import { type OtherSite, startOtherSite } from './other-site.ts'
import { heading } from './visits.ts'

export interface OtherApp extends OtherSite {
  redirectUri: string
  /** The path to which the app sends the browser. */
  pathOf(client: { id: string }, parameters?: Record<string, string>): Promise<string>
  assertReturned(page: Page): Promise<void>
}

/** An app on another port, to which users sign in. */
export async function startOtherApp(hostname?: string): Promise<OtherApp> {
  const site = await startOtherSite(hostname)
  const redirectUri = `${site.origin}/callback`
  return {
    ...site,
    redirectUri,
    async pathOf(client, parameters = {}) {
      const request = { redirect_uri: redirectUri, scope: 'openid', ...parameters }
      return (await authorizationRequest(client, request)).path
    },
    async assertReturned(page) {
      await heading(page, 'The other service')
      const { origin, pathname, searchParams } = new URL(page.url())
      assert.equal(origin + pathname, redirectUri)
      assert.equal(searchParams.get('state'), 'state of the client')
      assert.ok(searchParams.get('code'), 'a code')
    },
  }
}
