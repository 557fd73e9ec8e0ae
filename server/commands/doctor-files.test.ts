import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { checkFreeSpace, findFileProblem } from './doctor-files.ts'

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

test('findFileProblem names a read-only file system', (t) => {
  const folder = createTemporaryFolder(t)
  const mount = (...options: string[]) => spawnSync('mount', [...options, folder]).status === 0
  if (!mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs')) return t.skip('only root may mount')
  try {
    const path = join(folder, 'accounts.db')
    writeFileSync(path, '', { mode: 0o600 })
    assert.equal(findFileProblem(path), undefined)
    assert.ok(mount('-o', 'remount,ro'))
    assert.equal(findFileProblem(path), `the file system of ${path} is read-only; check the disk, and mount it again`)
  } finally {
    spawnSync('umount', [folder])
  }
})

test('checkFreeSpace returns the free space that is not reserved for root, and fails below 64 MiB', (t) => {
  const folder = createTemporaryFolder(t)
  const path = join(folder, 'accounts.db')
  writeFileSync(path, '')
  const real = statfsSync(folder)
  const withFree = (mebibytes: number, blocks = 1_000_000) =>
    checkFreeSpace(path, () => ({ ...real, bsize: 4096, blocks, bfree: 900_000, bavail: mebibytes * 256 }))
  assert.equal(withFree(64), '64 MiB are free')
  assert.throws(() => withFree(63), {
    message: `only 63 MiB are free on the disk of ${path}; make room, because changes fail on a full disk`,
  })
  assert.equal(withFree(0, 0), 'the free space is not known')
  assert.match(checkFreeSpace(path), /^\d+ MiB are free$/)
})
