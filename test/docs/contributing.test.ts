import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { selectTests } from '../runner/select-tests.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What CONTRIBUTING.md says of each file of `npm run test:long`. */
const LONG_TESTS: Record<string, string> = {
  'server/commands/import.test.ts': 'killed moves, restores and imports',
  'server/features/account/passkeys/tampering.test.ts': 'changes every byte of the responses of passkeys',
  'test/browser/every-page.test.ts': 'checks every page at',
  'test/docs/example-endpoint.test.ts': 'the example endpoint',
  'test/faults/audit-backlog.test.ts': 'a long backlog of audit events',
  'test/faults/exact-caches.test.ts': 'changes of cached rows',
  'test/faults/full-disk-postgres.test.ts': 'a full disk',
  'test/faults/kill-loop.test.ts': 'kills the service and PostgreSQL',
  'test/faults/killed-copies.test.ts': 'killed moves, restores and imports',
  'test/faults/later-version.test.ts': 'long migrations',
  'test/faults/lock-order.test.ts': 'concurrent changes that must not deadlock',
  'test/faults/oldest-postgres.test.ts': 'the oldest PostgreSQL',
  'test/faults/pgbouncer.test.ts': 'PgBouncer',
  'test/faults/postgres-failover.test.ts': 'a primary with a standby',
  'test/faults/postgres-outage.test.ts': 'stops PostgreSQL for 30 s',
  'test/faults/rolling-upgrade.test.ts': 'upgrades beside the previous version',
  'test/faults/rotate-secret.test.ts': 'kills the replacement of SECRET',
}

test('Every change of the example endpoint in CONTRIBUTING.md applies to the files', async () => {
  const page = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const diffs = [...page.matchAll(/^```diff\n(.*?)^```/gms)].map(([, diff = '']) => diff)
  assert.ok(diffs.length > 7)
  for (const input of diffs) {
    const { status, stderr } = spawnSync('git', ['apply', '--check'], { cwd: ROOT, input, encoding: 'utf8' })
    assert.equal(status, 0, `${stderr}\n${input}`)
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

test('CONTRIBUTING.md says what each file of npm run test:long does', async () => {
  assert.deepEqual(selectTests(['--long']).files.sort(), Object.keys(LONG_TESTS))
  const page = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const [, section = ''] = /^### Long tests\n(.*?)^##/ms.exec(page) ?? []
  for (const words of Object.values(LONG_TESTS)) assert.ok(section.replaceAll(/\s+/g, ' ').includes(words), words)
})
