// Runs before anything is installed, so: plain JavaScript, Node 20, no packages.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { underLock } from './prepare/lock.mjs'
import { packagesAreCurrent } from './prepare/packages.mjs'
import { hashOfSources, pagesAreCurrent, rememberPages } from './prepare/pages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Anything said here goes to standard error: standard output belongs to the command that follows. */
const say = (line) => process.stderr.write(`${line}\n`)

/** Runs a command without showing its output unless it fails. Signals end the command too. */
async function run(what, command, args, environment = process.env) {
  const child = spawn(command, args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const passOn = (signal) => child.kill(signal)
  process.on('SIGINT', passOn).on('SIGTERM', passOn)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code, signal] = await new Promise((resolve) => {
    child.on('error', (error) => resolve([error.message, null]))
    child.on('close', (...result) => resolve(result))
  })
  process.off('SIGINT', passOn).off('SIGTERM', passOn)
  if (code !== 0)
    throw new Error(`${output.trimEnd()}\n\n${what} failed (${signal ?? `exit code ${code}`}).`.trimStart())
}

async function installPackages() {
  say('Installing packages (npm ci) …')
  // The npm that started us, so that a second installation on PATH cannot interfere.
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []]
  // The pages are built here and Node itself is a development dependency: NODE_ENV=production needs both as well.
  await run('Installing packages (npm ci)', command, [...args, 'ci', '--include=dev', '--no-audit'])
}

async function buildPages() {
  say('Building the pages (vite build web) …')
  const sources = hashOfSources(root)
  const node = join(root, 'node_modules/.bin/node')
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  await run('Building the pages (vite build web)', node, [vite, 'build', 'web'], {
    ...process.env,
    NODE_ENV: 'production',
  })
  rememberPages(root, sources)
}

/** On older versions npm leaves out packages that the build needs, without a word. */
function assertNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new Error(`Node 20.19 or newer is needed for installing; this is ${process.version}.`)
}

const pagesAreWanted = !process.argv.includes('--without-pages')
const packagesAreMissing = () => !packagesAreCurrent(root)
const pagesAreMissing = () => pagesAreWanted && !pagesAreCurrent(root)

async function prepare() {
  if (packagesAreMissing()) await installPackages()
  if (pagesAreMissing()) await buildPages()
}

try {
  assertNodeVersion()
  if (packagesAreMissing() || pagesAreMissing()) await underLock(join(root, '.prepare-lock'), prepare)
} catch (error) {
  say(error.message)
  process.exitCode = 1
}
