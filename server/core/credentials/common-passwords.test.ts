import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'

test('isCommon loads the lists again after a failed import', async (t) => {
  // A copy of the module: another test may have loaded the lists.
  const { isCommon } = await import(new URL('./common-passwords.ts?copy', import.meta.url).href)
  const hooks = registerHooks({
    resolve(specifier, parent, next) {
      if (specifier === '@zxcvbn-ts/language-common') throw new Error('too many open files')
      return next(specifier, parent)
    },
  })
  t.after(() => hooks.deregister())
  await assert.rejects(isCommon('password'), /too many open files/)
  hooks.deregister()
  assert.equal(await isCommon('password'), true)
})
