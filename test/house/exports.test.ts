import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const EXPORT = /^export (?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm

/** Without migrations, which all export the same entry points. */
const files = globSync('server/**/*.ts').filter(
  (file) => !file.endsWith('.test.ts') && !file.includes('/database/migrations/'),
)

test('Each name that server/ exports has one meaning: no two files export it', () => {
  const filesOf = new Map<string, Set<string>>()
  for (const file of files)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(EXPORT))
      filesOf.getOrInsertComputed(name, () => new Set()).add(file)
  assert.ok(filesOf.size > 1_000, `${filesOf.size} names`)
  const repeated = [...filesOf].filter(([, exporting]) => exporting.size > 1)
  assert.deepEqual(
    repeated.map(([name, exporting]) => `${name}: ${[...exporting].join(', ')}`),
    [],
  )
})
