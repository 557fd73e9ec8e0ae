import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { html } from '../../platform/mail/html.ts'
import { createPlainPage } from './plain-page.ts'

const BUILT = fileURLToPath(new URL('../../../web/dist', import.meta.url))
const CONTENT = html`<p>${'$& <b>'}</p>`

describe('A plain page', () => {
  test('A plain page has the styles and the brand of the pages, and no script', () => {
    const page = createPlainPage(BUILT, { name: 'Ada & Co $&' })({ title: 'Sign out?', content: CONTENT })
    assert.match(page, /^<!doctype html>\s*<html lang="en">/)
    assert.match(page, /<link rel="stylesheet"[^>]* href="\/assets\/[^"]+\.css">/)
    assert.match(page, /<link rel="stylesheet" href="\/brand\.css"/)
    assert.match(page, /<meta name="color-scheme" content="light dark"/)
    assert.match(page, /<meta name="referrer" content="same-origin"/)
    assert.match(page, /<title>Sign out\? · Ada &amp; Co \$&amp;<\/title>/)
    assert.match(page, /<span>Ada &amp; Co \$&amp;<\/span>/)
    assert.match(page, /<main class="card"><h1>Sign out\?<\/h1><p>\$&amp; &lt;b&gt;<\/p><\/main>/)
    assert.doesNotMatch(page, /script|modulepreload|shell|\.js"/i)
  })

  for (const [state, folder] of Object.entries({ built: BUILT, unbuilt: '/nowhere' })) {
    test(`A plain page escapes title and error code, with ${state} pages`, () => {
      const page = createPlainPage(folder, { name: 'Accounts' })
      const attack = `"><script>alert(1)</script>$&`
      const text = page({ title: attack, content: CONTENT, dataError: attack })
      assert.doesNotMatch(text, /<script/)
      assert.match(text, /<html data-error="&quot;&gt;&lt;script&gt;/)
      assert.match(text, /<h1>&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;\$&amp;<\/h1>/)
      assert.match(
        page({ title: 'Sorry', content: CONTENT, dataError: 'invalid_client' }),
        /data-error="invalid_client"/,
      )
      assert.doesNotMatch(page({ title: 'Sorry', content: CONTENT }), /data-error/)
    })
  }
})
