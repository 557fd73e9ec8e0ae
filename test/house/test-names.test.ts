import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const NAME = /\btest\(\s*['"`](.+?)['"`]/g
/** Words that no route, function or command has as its name, and that have begun the name of a test. */
const SMALL_WORDS = `a after all an assertions bans changes commands concurrent custom each eight every exchanges invitations
  lines migration no of one only passwords prepared private repeated single statements the two what when while with without`
const SMALL_WORD = new RegExp(`^(?:${SMALL_WORDS.split(/\s+/).join('|')}|organization slugs|keys are) `)

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
