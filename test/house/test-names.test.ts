import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const NAME = /\btest\(\s*['"`](.+?)['"`]/g
const SMALL_WORD = /^(?:a|after|an|concurrent|each|every|no|of|one|only|the|two|what|while) /

// Only the name of a route, a function or a command may begin a sentence with a small letter.
test('The name of a test begins with a capital letter, unless its first word is code', () => {
  const files = globSync('{server,test,web,scripts,bench}/**/*.test.ts', { exclude: ['**/node_modules/**'] })
  const names = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(NAME)].map(([, name = '']) => name))
  assert.ok(names.length > 1_500, `${names.length} names`)
  assert.deepEqual(
    names.filter((name) => SMALL_WORD.test(name)),
    [],
  )
})
