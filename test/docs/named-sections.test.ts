import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

test('Every section of docs/ that a message of the service names exists', () => {
  const files = globSync('server/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'))
  const named = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const before = [...text.matchAll(/"([^"\n]+)" in (docs\/[a-z-]+\.md)/g)].map(([, title, page]) => ({ title, page }))
    const after = [...text.matchAll(/(docs\/[a-z-]+\.md), "([^"\n]+)"/g)].map(([, page, title]) => ({ title, page }))
    return [...before, ...after]
  })
  assert.ok(named.length >= 7, `${named.length} sections`)
  for (const { title = '', page = '' } of named) {
    const titles = readFileSync(join(ROOT, page), 'utf8').matchAll(/^#+ (.+)$/gm)
    assert.ok(
      [...titles].some(([, found]) => found === title),
      `${page} has no section "${title}"`,
    )
  }
})
