import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { createTemporaryFolder } from '../test/support/temporary-folder.ts'
import { withLock } from './prepare/lock.mjs'
import { SERVER_SOURCES } from './prepare/pages.mjs'

const lock = (version: string) =>
  JSON.stringify({
    packages: {
      '': { name: 'accounts' },
      'node_modules/vite': { version, integrity: `sha512-${version}` },
      'node_modules/for-another-platform': { version, optional: true },
    },
  })

// Replaces npm: installs a Vite that only creates a folder, and logs each run.
const npm = `
  const { appendFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } = require('node:fs')
  appendFileSync('runs', process.argv.slice(2).join(' ') + '\\n')
  if (process.env.NPM_FAILS) throw new Error('no such registry')
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const installed = { 'node_modules/vite': packages['node_modules/vite'] }
  mkdirSync('node_modules/.bin', { recursive: true })
  if (!process.env.IGNORE_SCRIPTS) try { symlinkSync(process.execPath, 'node_modules/.bin/node') } catch {}
  mkdirSync('node_modules/vite/bin', { recursive: true })
  cpSync('vite.js', 'node_modules/vite/bin/vite.js')
  writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: installed }))
`
const vite = `
  const { appendFileSync, mkdirSync } = require('node:fs')
  appendFileSync('runs', 'vite ' + process.argv.slice(2).join(' ') + ' ' + process.env.NODE_ENV + '\\n')
  mkdirSync('web/dist', { recursive: true })
`

/** A project without installed packages. Its npm and Vite are replaced, because the real ones take half a minute. */
async function createFreshProject(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'accounts-prepare-'))
  t.after(() => rm(folder, { recursive: true }))
  const write = (path: string, content: string) => writeFile(join(folder, path), content)
  await cp(import.meta.dirname, join(folder, 'scripts'), { recursive: true })
  for (const path of ['web', ...SERVER_SOURCES.map(dirname)]) await mkdir(join(folder, path), { recursive: true })
  await Promise.all([write('npm.cjs', npm), write('vite.js', vite), write('package-lock.json', lock('1.0.0'))])
  for (const path of ['web/main.tsx', ...SERVER_SOURCES]) await write(path, 'first')

  const prepare = async (environment: NodeJS.ProcessEnv = {}) => {
    const child = spawn(process.execPath, [join(folder, 'scripts/prepare.mjs')], {
      env: { ...process.env, npm_execpath: join(folder, 'npm.cjs'), ...environment },
    })
    const code = new Promise((resolve) => child.on('close', resolve))
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: await code, output, errors }
  }
  const runs = async () => (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n')
  return { folder, write, prepare, runs }
}

/** Holds the lock at the path in the argument until it is killed. */
const HOLD = `
  import { withLock } from '${new URL('prepare/lock.mjs', import.meta.url).href}'
  const hold = () => new Promise(() => setInterval(() => console.log('held'), 100))
  await withLock(process.argv[1], hold, console.error)
`

const install = 'ci --include=dev --no-audit'
const build = 'vite build web production'

test('prepare installs and builds a fresh clone with any NODE_ENV, and prints nothing to standard output', async (t) => {
  const { prepare, runs } = await createFreshProject(t)

  const { code, output, errors } = await prepare({ NODE_ENV: 'test' })

  assert.equal(code, 0, errors)
  assert.equal(output, '')
  assert.match(errors, /^Installing packages.*\nBuilding the pages.*\n$/)
  assert.deepEqual(await runs(), [install, build])
})

test('prepare does nothing and prints nothing when packages and pages are current', async (t) => {
  const { prepare, runs } = await createFreshProject(t)
  await prepare()

  assert.deepEqual(await prepare(), { code: 0, output: '', errors: '' })
  assert.deepEqual(await runs(), [install, build])
})

test('prepare builds a changed page without a new installation', async (t) => {
  const { prepare, runs, write } = await createFreshProject(t)
  await prepare()
  await write('web/main.tsx', 'second')
  await prepare()

  assert.deepEqual(await runs(), [install, build, build])
})

test('prepare builds the pages again after a change of a server file that they run', async (t) => {
  const { prepare, runs, write } = await createFreshProject(t)
  await prepare()
  for (const path of SERVER_SOURCES) {
    await write(path, 'second')
    await prepare()
  }

  assert.deepEqual(await runs(), [install, build, ...SERVER_SOURCES.map(() => build)])
})

test('prepare installs a changed package-lock.json and builds the pages again', async (t) => {
  const { prepare, runs, write } = await createFreshProject(t)
  await prepare()
  await write('package-lock.json', lock('2.0.0'))
  await prepare()

  assert.deepEqual(await runs(), [install, build, install, build])
})

test('Concurrent runs of prepare install and build once', async (t) => {
  const { prepare, runs } = await createFreshProject(t)

  const results = await Promise.all([prepare(), prepare(), prepare()])

  assert.deepEqual(
    results.map(({ code }) => code),
    [0, 0, 0],
  )
  assert.deepEqual(await runs(), [install, build])
})

test('prepare removes the lock of an ended process', async (t) => {
  const { folder, prepare } = await createFreshProject(t)
  const child = spawn(process.execPath, ['--eval', ''])
  await new Promise((resolve) => child.on('close', resolve))
  await symlink(String(child.pid), join(folder, '.prepare-lock'))

  assert.equal((await prepare()).code, 0)
})

const ENDS = { timeout: 60_000 }

test('A lock with the id of the own process is removed, because ids repeat in a container', ENDS, async (t) => {
  const path = join(createTemporaryFolder(t), 'lock')
  await symlink(String(process.pid), path)
  assert.equal(await withLock(path, async () => 'done', assert.fail), 'done')
})

test('A lock whose process id now belongs to a process with another start time is removed', {
  ...ENDS,
  skip: process.platform !== 'linux' && 'only Linux has start times in /proc',
}, async (t) => {
  const path = join(createTemporaryFolder(t), 'lock')
  await symlink(`${process.ppid}:1`, path)
  assert.equal(await withLock(path, async () => 'done', assert.fail), 'done')
})

test(
  'A process that finds the lock of an ended process does not remove the next one, of another process',
  ENDS,
  async (t) => {
    const path = join(createTemporaryFolder(t), 'lock')
    await symlink(String(process.pid), path)
    const { readlinkSync } = fs
    t.mock.method(
      fs,
      'readlinkSync',
      (link: string) => {
        const found = readlinkSync(link)
        fs.rmSync(link)
        fs.symlinkSync(String(process.ppid), link)
        return found
      },
      { times: 1 },
    )
    syncBuiltinESMExports()
    t.after(syncBuiltinESMExports)
    const lines: string[] = []
    await withLock(
      path,
      async () => {},
      (line: string) => {
        lines.push(line)
        fs.rmSync(path)
      },
    )
    assert.deepEqual(lines, [`Waiting for process ${process.ppid}, which installs packages or builds the pages …`])
    assert.deepEqual(fs.readdirSync(dirname(path)), [])
  },
)

for (const content of ['as prepare writes it', 'with the process id only'])
  test(
    `A run that waits for a lock ${content} prints one line, and goes on when its process is killed`,
    ENDS,
    async (t) => {
      const path = join(createTemporaryFolder(t), 'lock')
      const holder = spawn(process.execPath, ['--input-type=module', '--eval', HOLD, '--', path])
      t.after(() => holder.kill('SIGKILL'))
      await once(holder.stdout, 'data')
      if (content === 'with the process id only') {
        await rm(path)
        await symlink(String(holder.pid), path)
      }
      const lines: string[] = []
      const result = await withLock(
        path,
        async () => holder.signalCode,
        (line: string) => {
          lines.push(line)
          holder.kill('SIGKILL')
        },
      )
      assert.equal(result, 'SIGKILL', 'the task runs after the end of the other process')
      assert.deepEqual(lines, [`Waiting for process ${holder.pid}, which installs packages or builds the pages …`])
    },
  )

test('prepare prints the reason of a failed installation and installs on the next run', async (t) => {
  const { prepare } = await createFreshProject(t)

  const { code, errors } = await prepare({ NPM_FAILS: 'yes' })

  assert.equal(code, 1)
  assert.match(errors, /no such registry[\s\S]*Installing packages \(npm ci\) failed \(exit code 1\)\.\n$/)
  assert.equal((await prepare()).code, 0)
})

test('prepare says what to do when npm has run no install scripts', async (t) => {
  const { prepare, runs } = await createFreshProject(t)

  const { code, errors } = await prepare({ IGNORE_SCRIPTS: 'yes' })

  assert.equal(code, 1)
  assert.match(errors, /Node is missing\. Run the command again with npm_config_ignore_scripts=false before it\.\n$/)
  assert.deepEqual(await runs(), [install])
})

test('Every package with an install script may run it, because npm installs nothing otherwise', async () => {
  const read = async (file: string) => JSON.parse(await readFile(join(import.meta.dirname, '..', file), 'utf8'))
  const [{ allowScripts }, { packages }] = await Promise.all([read('package.json'), read('package-lock.json')])
  const locked = Object.entries<{ hasInstallScript?: boolean }>(packages)
  const withScript = locked.flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [path.replace(/^.*node_modules\//, '')] : [],
  )
  assert.deepEqual(Object.keys(allowScripts).toSorted(), withScript.toSorted())
})
