import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const EXPORT = /^export (?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm

for (const [folder, minimum] of [
  ['server', 1_000],
  ['test/support', 200],
] as const)
  test(`Each name that ${folder}/ exports has one meaning: no two files export it`, () => {
    const filesOf = new Map<string, Set<string>>()
    for (const file of listModules(folder))
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(EXPORT))
        filesOf.getOrInsertComputed(name, () => new Set()).add(file)
    assert.ok(filesOf.size > minimum, `${filesOf.size} names`)
    const repeated = [...filesOf].filter(([, exporting]) => exporting.size > 1)
    assert.deepEqual(
      repeated.map(([name, exporting]) => `${name}: ${[...exporting].join(', ')}`),
      [],
    )
  })

/** Without migrations, which all export the same entry points. */
function listModules(folder: string): string[] {
  return globSync(`${folder}/**/*.ts`).filter(
    (file) => !file.endsWith('.test.ts') && !file.includes('/database/migrations/'),
  )
}
