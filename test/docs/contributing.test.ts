import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

test('The example migration of CONTRIBUTING.md has the next number', async () => {
  const page = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const [, example] = /^```ts server\/platform\/database\/migrations\/(\d{4})-/m.exec(page) ?? []
  const numbers = (await readdir(join(ROOT, 'server/platform/database/migrations'))).map((name) =>
    Number(name.slice(0, 4)),
  )
  assert.equal(Number(example), Math.max(...numbers) + 1)
})
