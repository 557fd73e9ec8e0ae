import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { withoutTemplates } from '../support/ready-database.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const NOT_COPIED = ['node_modules', '.git', 'data', 'coverage']
const TESTS = [
  'server/features/organizations/api-keys/set-note.test.ts',
  'test/access/audited.test.ts',
  'test/access/foreign-ids.test.ts',
  'test/access/impersonated.test.ts',
]
/** The tests of the new route, and the tests of every list that must contain the route. */
const TEST_NAMES = 'set-note|Every|impersonator'

test('The example endpoint of CONTRIBUTING.md passes npm run check and its tests', async (t) => {
  const project = createTemporaryFolder(t)
  await cp(ROOT, project, { recursive: true, filter: (path) => !NOT_COPIED.some((name) => path === join(ROOT, name)) })
  await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'))

  const page = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  for (const [, path = '', content = ''] of page.matchAll(/^```ts (\S+)\n(.*?)^```/gms))
    await writeFile(join(project, path), content, { flag: 'wx' })
  const changes = [...page.matchAll(/^```diff\n(.*?)^```/gms)].map(([, change]) => change)
  assert.ok(changes.length > 3, 'CONTRIBUTING.md shows changes of existing files as ```diff')
  for (const change of changes.join('').split(/^(?=--- )/m))
    await run(project, 'git', ['apply', '--recount', '-'], change)
  await run(project, process.execPath, ['scripts/check.ts'])
  const report = await run(project, process.execPath, [
    '--test',
    '--test-reporter=spec',
    '--test-isolation=none',
    `--test-name-pattern=${TEST_NAMES}`,
    ...TESTS,
  ])
  for (const name of ['shows the note', 'set-note inserts the audit events', 'another organization'])
    assert.ok(report.includes(name), name)
})

/** @returns the output of the command @throws AssertionError with everything that it printed, when it fails */
async function run(cwd: string, command: string, args: string[], input = ''): Promise<string> {
  // With this variable, the inner test run would report to this test and print nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(command, args, { cwd, env: withoutTemplates(env), stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  assert.equal(code, 0, `${command} ${args.join(' ')}\n${output}${errors}`)
  return output
}
