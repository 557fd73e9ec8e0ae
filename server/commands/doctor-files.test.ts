import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { findFileProblem } from './doctor-files.ts'

test("findFileProblem names a file that the service can't make private, and a folder that it can't write", (t) => {
  const folder = createTemporaryFolder(t)
  const path = join(folder, 'accounts.db')
  writeFileSync(path, '')
  chmodSync(path, 0o644)
  assert.equal(findFileProblem(path), undefined)
  // Files can't be created in /proc/self, not even by root.
  assert.match(findFileProblem('/proc/self/comm') ?? '', /^the service can't write to \/proc\/\d+; let its user/)
  const { getuid = () => 0 } = process
  t.after(() => Object.assign(process, { getuid }))
  process.getuid = () => getuid() + 1
  assert.match(findFileProblem(path) ?? '', /accounts\.db belongs to another user.*\(chown\)$/)
  chmodSync(path, 0o600)
  assert.doesNotMatch(findFileProblem(path) ?? '', /another user/)
})
