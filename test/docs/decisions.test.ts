import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const FOLDER = join(import.meta.dirname, '../../docs/decisions')
const PART = /^\*\*(Context|Decision|Consequence|Addition, \d{4}-\d\d-\d\d|[^*]*)\b/gm

test('Each decision has its context, the decision and the consequence, and then its additions by date', () => {
  const files = globSync('[0-9]*.md', { cwd: FOLDER })
  assert.ok(files.length >= 38)
  for (const file of files) {
    const parts = [...readFileSync(join(FOLDER, file), 'utf8').matchAll(PART)].map(([, part = '']) => part)
    const additions = parts.filter((part) => part.startsWith('Addition, '))
    assert.deepEqual(parts, ['Context', 'Decision', 'Consequence', ...additions.toSorted()], file)
  }
})
