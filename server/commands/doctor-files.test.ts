import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { mountDisk, whyDiskIsMissing } from '../../test/support/small-disk.ts'
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

test('findFileProblem names a read-only file system', { skip: whyDiskIsMissing() }, (t) => {
  const folder = join(createTemporaryFolder(t), 'disk')
  mountDisk(folder, 65_536)
  try {
    const path = join(folder, 'accounts.db')
    writeFileSync(path, '', { mode: 0o600 })
    assert.equal(findFileProblem(path), undefined)
    execFileSync('mount', ['-o', 'remount,ro', folder])
    assert.equal(findFileProblem(path), `the file system of ${path} is read-only; check the disk, and mount it again`)
  } finally {
    execFileSync('umount', [folder])
  }
})

test('findFileProblem names a folder to which other users can write, also behind a link', (t) => {
  const folder = createTemporaryFolder(t)
  const [path, link] = [join(folder, 'data', 'accounts.db'), join(folder, 'accounts.db')]
  mkdirSync(dirname(path))
  writeFileSync(path, '', { mode: 0o600 })
  symlinkSync(path, link)
  chmodSync(dirname(path), 0o770)
  assert.deepEqual([findFileProblem(path), findFileProblem(link)], [undefined, undefined])
  chmodSync(folder, 0o703)
  assert.match(findFileProblem(link) ?? '', new RegExp(`^other users can write to the folder ${folder}, .* chmod o-w`))
  assert.equal(findFileProblem(path), undefined)
  chmodSync(folder, 0o700)
  chmodSync(dirname(path), 0o777)
  for (const found of [findFileProblem(path), findFileProblem(link)])
    assert.match(found ?? '', new RegExp(`^other users can write to the folder ${folder}/data, `))
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
