import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { loadEnvironmentFile } from './environment-file.ts'

test('loadEnvironmentFile adds the lines of the file, and replaces no variable', (t) => {
  const path = newPath(t)
  writeFileSync(path, 'PORT=3000\nHOST=localhost\nBRAND_NAME="Example Works"\nSMTP_URL=smtp://file\n')
  const environment: Record<string, string> = { PORT: '4000', SMTP_URL: '' }
  loadEnvironmentFile(path, environment)
  assert.deepEqual(environment, { PORT: '4000', SMTP_URL: '', HOST: 'localhost', BRAND_NAME: 'Example Works' })
})

test('loadEnvironmentFile reads the first setting after a byte order mark, and refuses a file in UTF-16', (t) => {
  const path = newPath(t)
  const lines = 'SECRET=first\nPORT=4000\n'
  writeFileSync(path, `\ufeff${lines}`)
  const environment = {}
  loadEnvironmentFile(path, environment)
  assert.deepEqual(environment, { SECRET: 'first', PORT: '4000' })
  writeFileSync(path, `\ufeff${lines}`, 'utf16le')
  assert.throws(() => loadEnvironmentFile(path, {}), /\.env is not encoded in UTF-8: save it in UTF-8\.$/)
})

test('loadEnvironmentFile refuses a setting without =, which would be ignored', (t) => {
  const path = newPath(t)
  for (const line of [
    'DATABASE_URL: postgres://db.example/accounts?sslmode=verify-full',
    'DATABASE_URL "sqlite:/var/lib/accounts.db"',
    ' export DATABASE_URL',
  ]) {
    writeFileSync(path, `PORT=4000\n${line}\n`)
    assert.throws(
      () => loadEnvironmentFile(path, {}),
      /\.env has DATABASE_URL without = after the name: write DATABASE_URL=value\.$/,
      line,
    )
  }
  for (const line of [
    '# PORT: 4000',
    'PORT_OF_A: 1',
    'PORT = 4000',
    'export PORT=4000',
    'PORT: 1\nPORT=4000',
    'PORT=',
  ]) {
    writeFileSync(path, `${line}\n`)
    assert.doesNotThrow(() => loadEnvironmentFile(path, {}), line)
  }
})

test('loadEnvironmentFile does nothing without a file', (t) => {
  const environment = {}
  loadEnvironmentFile(newPath(t), environment)
  assert.deepEqual(environment, {})
})

test("loadEnvironmentFile refuses a folder, and a file that can't be read", (t) => {
  const folder = newPath(t)
  mkdirSync(folder)
  assert.throws(() => loadEnvironmentFile(folder, {}), /\.env is a folder: make it a file/)
  // The rights of a file do not stop root, but a loop of links does.
  const loop = newPath(t)
  symlinkSync(loop, loop)
  assert.throws(() => loadEnvironmentFile(loop, {}), /\.env can't be read \(ELOOP: .+\): make it a file that/)
  const dangling = newPath(t)
  symlinkSync(`${dangling}.missing`, dangling)
  assert.throws(() => loadEnvironmentFile(dangling, {}), /\.env can't be read \(ENOENT: /)
})

function newPath(t: TestContext): string {
  const folder = createTemporaryFolder(t)
  return join(folder, '.env')
}
