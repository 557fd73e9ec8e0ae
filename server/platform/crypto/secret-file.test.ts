import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createSecretFile, findSecretFileProblem } from './secret-file.ts'

/** Creates the file in a separate process, with limits of the shell. */
async function createInProcess(databasePath: string, limit = ':'): Promise<{ code: number; output: string }> {
  const file = new URL('./secret-file.ts', import.meta.url).href
  const script = `import { createSecretFile } from '${file}'; console.log(createSecretFile('${databasePath}'))`
  const options = ['--input-type=module-typescript', '--eval', script]
  const child = spawn('sh', ['-c', `${limit}; exec "$0" "$@"`, process.execPath, ...options])
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, output: output.trim() || errors }
}

describe('secret file', () => {
  test('createSecretFile stores 256 random bits, readable by the owner only, once', (t) => {
    const folder = join(createTemporaryFolder(t), 'deep')
    const secret = createSecretFile(join(folder, 'accounts.db'))
    assert.equal(Buffer.from(secret, 'base64url').length, 32)
    assert.equal(readFileSync(join(folder, 'secret'), 'utf8'), `${secret}\n`)
    assert.equal(statSync(join(folder, 'secret')).mode & 0o777, 0o600)
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    assert.equal(createSecretFile(join(folder, 'accounts.db')), secret)
    assert.deepEqual(readdirSync(folder), ['secret'])
  })

  test('createSecretFile works on a file system without hard links', (t) => {
    const folder = createTemporaryFolder(t)
    const link = t.mock.method(fs, 'linkSync', () => {
      throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })
    })
    syncBuiltinESMExports()
    t.after(() => {
      link.mock.restore()
      syncBuiltinESMExports()
    })
    const secret = createSecretFile(join(folder, 'accounts.db'))
    assert.equal(readFileSync(join(folder, 'secret'), 'utf8'), `${secret}\n`)
    assert.equal(statSync(join(folder, 'secret')).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(folder), ['secret'])
  })

  test('findSecretFileProblem names chmod when other users can read or change the file, and never changes its mode', (t) => {
    const path = join(createTemporaryFolder(t), 'accounts.db')
    const file = join(dirname(path), 'secret')
    assert.equal(findSecretFileProblem(path), undefined, 'without a file')
    createSecretFile(path)
    assert.equal(findSecretFileProblem(path), undefined)
    for (const mode of [0o640, 0o620, 0o604, 0o602, 0o644]) {
      chmodSync(file, mode)
      assert.equal(
        findSecretFileProblem(path),
        `other users can read or change the file ${file}: run chmod 600 ${file}`,
      )
      assert.equal(statSync(file).mode & 0o777, mode)
    }
  })

  test('findSecretFileProblem lets the group of a file of another owner read it, and not change it', (t) => {
    const path = join(createTemporaryFolder(t), 'accounts.db')
    const file = join(dirname(path), 'secret')
    createSecretFile(path)
    const { getuid = () => 0 } = process
    t.after(() => Object.assign(process, { getuid }))
    process.getuid = () => getuid() + 1
    chmodSync(file, 0o640)
    assert.equal(findSecretFileProblem(path), undefined)
    for (const mode of [0o644, 0o660, 0o620]) {
      chmodSync(file, mode)
      assert.equal(
        findSecretFileProblem(path),
        `other users can read or change the file ${file}: run chmod g-w,o-rwx ${file}`,
      )
    }
  })

  test('Eight concurrent processes get the same secret', async (t) => {
    const folder = createTemporaryFolder(t)
    const path = join(folder, 'accounts.db')
    const made = await Promise.all(Array.from({ length: 8 }, () => createInProcess(path)))
    assert.deepEqual(new Set(made.map(({ output }) => output)).size, 1, JSON.stringify(made))
    assert.equal(readFileSync(join(folder, 'secret'), 'utf8').trim(), made[0]?.output)
    assert.deepEqual(readdirSync(folder), ['secret'])
  })

  test('createSecretFile leaves no empty or short file on a full disk', async (t) => {
    const folder = createTemporaryFolder(t)
    // Like a full disk, a limit of the file size makes the write fail after the open.
    const { code, output } = await createInProcess(join(folder, 'accounts.db'), 'ulimit -f 0')
    assert.equal(code, 1)
    assert.match(output, /secret can't be written \(E[A-Z]+: .*Make room on the disk/)
    assert.deepEqual(readdirSync(folder), [])
  })

  test('createSecretFile throws for an existing database', (t) => {
    const folder = createTemporaryFolder(t)
    const path = join(folder, 'accounts.db')
    writeFileSync(path, 'SQLite format 3')
    assert.throws(
      () => createSecretFile(path),
      /secret is missing, and .*accounts\.db was made with it\. Put your copy of the file back, .*If it is lost, follow /,
    )
    assert.deepEqual(readdirSync(folder), ['accounts.db'])
    writeFileSync(path, '')
    assert.equal(createSecretFile(path).length, 43)
  })
})
