import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

const REMEMBER = `import { rememberError } from '${pathToFileURL(join(import.meta.dirname, 'logged-errors.ts'))}'
  for (let number = 1; number <= 21; number++) rememberError('error ' + number + '\\n')`

function run(code: string): string {
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).stderr
}

test('A process of tests prints the last errors of its services only if a test has failed', () => {
  const [title, ...lines] = run(`${REMEMBER}; process.exitCode = 1`).trimEnd().split('\n')
  assert.match(title ?? '', /^The last errors/)
  assert.deepEqual([lines.length, lines[0], lines.at(-1)], [20, 'error 2', 'error 21'])
  assert.equal(run(REMEMBER), '')
})
