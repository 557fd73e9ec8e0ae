import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

/** Runs the check of CI with an npm that prints `report` and ends with `exitCode`. */
function audit(t: TestContext, report: object, exitCode: number) {
  const folder = createTemporaryFolder(t)
  const npm = join(folder, 'npm')
  writeFileSync(npm, `#!/bin/sh\necho '${JSON.stringify(report)}'\nexit ${exitCode}\n`)
  chmodSync(npm, 0o755)
  const { status, stdout } = spawnSync('bash', ['.ci/audit'], {
    env: { PATH: `${folder}:${process.env.PATH}` },
    encoding: 'utf8',
  })
  return { status, isSkipped: stdout.includes('Skipped npm audit') }
}

const REPORT = { auditReportVersion: 2 }

test('CI fails for a package with a known vulnerability', (t) => {
  assert.deepEqual(audit(t, REPORT, 1), { status: 1, isSkipped: false })
  assert.deepEqual(audit(t, REPORT, 0), { status: 0, isSkipped: false })
})

test('CI says that it skips the audit when the registry has no audit endpoint', (t) => {
  assert.deepEqual(audit(t, { error: { summary: '' } }, 1), { status: 0, isSkipped: true })
})
