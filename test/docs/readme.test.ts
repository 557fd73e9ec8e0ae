import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { type Service, startService } from '../support/service.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { administratorWithOrganization } from '../support/users.ts'

const ROOT = join(import.meta.dirname, '../..')
const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
const run = promisify(execFile)

/** The program of README.md that contains this text, with the address of a service. */
function programWith(text: string, { baseUrl }: Service): string {
  const programs = [...readme.matchAll(/^```js\n(.*?)^```/gms)].map(([, program = '']) => program)
  const program = programs.find((one) => one.includes(text))
  assert.ok(program, `README.md has a program with ${text}`)
  return program.replaceAll('http://localhost:3000', baseUrl)
}

function runProgram(program: string, environment: Record<string, string>): Promise<{ stdout: string }> {
  return run(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
  })
}

async function startOnSqlite(t: TestContext): Promise<Service> {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  return service
}

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

const hasCurl = spawnSync('curl', ['--version']).status === 0

test('The commands of README.md give a signed token to a new administrator, and its program verifies the token', {
  skip: hasCurl ? false : 'curl is not installed',
}, async (t) => {
  const service = await startOnSqlite(t)
  const [, section = ''] = /^## Five minutes to the first signed token\n(.*?)^## /ms.exec(readme) ?? []
  const commands = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, command = '']) => command).join('')
  const script = commands
    .replaceAll('http://localhost:3000', service.baseUrl)
    .replace('npm run accounts --', `'${process.execPath}' '${join(ROOT, 'server/main.mjs')}'`)
  const { database, secret } = service.config
  assert.ok(database.engine === 'sqlite')
  const env = { ...process.env, DATABASE_URL: `sqlite:${database.path}`, SECRET: secret }
  const { stdout } = await run('sh', ['-ec', script], { cwd: createTemporaryFolder(t), env })
  const [, JWT = ''] = /\{"token":"([^"]+)"\}$/.exec(stdout) ?? []
  assert.ok(JWT, stdout)
  const verified = await runProgram(programWith('jwtVerify', service), { JWT })
  assert.match(verified.stdout, /^usr_\w+ example-works owner\n$/)
})

test('The program of README.md with the official client lists the organizations of the caller', async (t) => {
  const service = await startOnSqlite(t)
  const { token, organization } = await administratorWithOrganization(service)
  const { stdout } = await runProgram(programWith('createAuthClient', service), { TOKEN: token })
  assert.match(stdout, new RegExp(`slug: '${organization.slug}'`))
})
