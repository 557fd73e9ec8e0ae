import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** The beginning of a line that is a comment, or a part of one. */
const COMMENT = /^\s*(?:\/\/|\/\*|\*[ /])/

for (const folder of ['server', 'web'])
  test(`Comments are at most 8 % of the lines of ${folder}/`, () => {
    const files = globSync(`${folder}/**/*.{ts,tsx}`, { exclude: ['**/node_modules/**', '**/*.test.ts'] })
    const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    assert.ok(lines.length > 15_000, `${lines.length} lines`)
    const share = lines.filter((line) => COMMENT.test(line)).length / lines.length
    assert.ok(share <= 0.08, `${(100 * share).toFixed(1)} %`)
  })
