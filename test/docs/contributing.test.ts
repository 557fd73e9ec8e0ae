import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

/** The lines that a hunk of a diff removes or leaves. An empty line has lost its space. */
function linesBefore(hunk: string): string {
  const lines = hunk
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('+'))
  return lines.map((line) => line.slice(1)).join('\n')
}

test('Every change of the example endpoint in CONTRIBUTING.md finds its lines in the file', async () => {
  const page = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const diffs = [...page.matchAll(/^```diff\n(.*?)^```/gms)].map(([, text = '']) => text).join('')
  const changes = diffs.split(/^(?=--- a\/)/m)
  assert.ok(changes.length > 9)
  for (const change of changes) {
    const path = /^--- a\/(\S+)/.exec(change)?.[1] ?? ''
    const content = await readFile(join(ROOT, path), 'utf8')
    const [, ...hunks] = change.split(/^@@.*\n/m)
    for (const hunk of hunks) assert.ok(content.includes(linesBefore(hunk)), `${path}\n${hunk}`)
  }
})

test('The example migration of CONTRIBUTING.md has the next number', async () => {
  const page = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const [, example] = /^```ts server\/platform\/database\/migrations\/(\d{4})-/m.exec(page) ?? []
  const numbers = (await readdir(join(ROOT, 'server/platform/database/migrations'))).map((name) =>
    Number(name.slice(0, 4)),
  )
  assert.equal(Number(example), Math.max(...numbers) + 1)
})
