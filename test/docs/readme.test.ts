import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startService } from '../support/service.ts'
import { administratorWithOrganization } from '../support/users.ts'

const ROOT = join(import.meta.dirname, '../..')
const readme = await readFile(join(ROOT, 'README.md'), 'utf8')

test('README.md names the versions of the official client that the tests use', async () => {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'))
  const [, command = ''] = /^npm install (better-auth@.*)$/m.exec(readme) ?? []
  // Without core, npm chooses the newest one, whose peers are not those of the others (ERESOLVE).
  const names = ['better-auth', '@better-auth/core', '@better-auth/passkey', '@better-auth/api-key']
  assert.equal(command, names.map((name) => `${name}@${packages[`node_modules/${name}`].version}`).join(' '))
})

test('Code to copy keeps the keys as long as their cache-control says, because a withdrawn key is refused only then', async () => {
  const files = [
    'README.md',
    ...globSync('docs/**/*.md', { cwd: ROOT }),
    ...globSync('examples/**/*.{mjs,js,html}', { cwd: ROOT }),
  ]
  const texts = await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')))
  const calls = texts.flatMap((text) => [...text.matchAll(/= createRemoteJWKSet\(.*/g)].map(([call]) => call))
  assert.ok(calls.length >= 7, `${calls.length} calls`)
  for (const call of calls) assert.match(call, /, \{ cacheMaxAge: 300_000 \}\)$/)
})

test('The program of README.md with the official client lists the organizations of the caller', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { token, organization } = await administratorWithOrganization(service)
  const [, program = ''] = /^```js\n(.*?createAuthClient.*?)^```/ms.exec(readme) ?? []
  const script = program.replace('http://localhost:3000', service.baseUrl)
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    env: { ...process.env, TOKEN: token },
  })
  assert.match(stdout, new RegExp(`slug: '${organization.slug}'`))
})
