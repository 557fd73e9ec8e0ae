// Runs before the packages are installed, so it is plain JavaScript for Node 20 without packages.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from './prepare/lock.mjs'
import { packagesAreCurrent } from './prepare/packages.mjs'
import { hashOfSources, pagesAreCurrent, storePagesHash } from './prepare/pages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Prints to standard error, because standard output belongs to the command that follows. */
const print = (line) => process.stderr.write(`${line}\n`)

/** Runs a command and prints its output only if it fails. Signals are forwarded to the command. */
async function run(what, command, args, environment = process.env) {
  const child = spawn(command, args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const forward = (signal) => child.kill(signal)
  process.on('SIGINT', forward).on('SIGTERM', forward)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code, signal] = await new Promise((resolve) => {
    child.on('error', (error) => resolve([error.message, null]))
    child.on('close', (...result) => resolve(result))
  })
  process.off('SIGINT', forward).off('SIGTERM', forward)
  if (code !== 0)
    throw new Error(`${output.trimEnd()}\n\n${what} failed (${signal ?? `exit code ${code}`}).`.trimStart())
}

async function installPackages() {
  print('Installing packages (npm ci) …')
  // The npm that runs this script, because PATH may contain another one.
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []]
  // --include=dev: Vite and Node are development dependencies, which NODE_ENV=production would leave out.
  await run('Installing packages (npm ci)', command, [...args, 'ci', '--include=dev', '--no-audit'])
  // The install script of the package downloads Node.
  if (!existsSync(join(root, 'node_modules/.bin/node')))
    throw new Error(
      'npm has run no install scripts, so that Node is missing. Run the command again with npm_config_ignore_scripts=false before it.',
    )
}

async function buildPages() {
  print('Building the pages (vite build web) …')
  const sources = hashOfSources(root)
  const node = join(root, 'node_modules/.bin/node')
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  await run('Building the pages (vite build web)', node, [vite, 'build', 'web'], {
    ...process.env,
    NODE_ENV: 'production',
  })
  storePagesHash(root, sources)
}

/** Older versions of npm silently leave out packages that the build needs. */
function assertNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new Error(
    `Node 20.19 or newer is needed for installing; this is ${process.version}. Get it from https://nodejs.org.`,
  )
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
  if (packagesAreMissing() || pagesAreMissing()) await withLock(join(root, '.prepare-lock'), prepare, print)
} catch (error) {
  print(error.message)
  process.exitCode = 1
}
