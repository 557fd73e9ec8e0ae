import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const HOOK = /^(?:before|after|beforeEach|afterEach)\(/m

// Files share processes, where an outermost hook would run around the tests of all files. If no test of a file has the
// name in `npm test NAME`, node:test also runs such hooks in a wrong order.
test('Hooks of tests are inside of describe', () => {
  const files = globSync('{server,test,web}/**/*.test.ts')
  assert.ok(files.length > 300, `${files.length} files`)
  assert.deepEqual(
    files.filter((file) => HOOK.test(readFileSync(file, 'utf8'))),
    [],
  )
})
