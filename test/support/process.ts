import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { getFreePort } from './free-port.ts'
import { createFolder } from './temporary-folder.ts'

const MAIN = fileURLToPath(new URL('../../server/main.mjs', import.meta.url))
const START_WITH_SHORT_WAITS = fileURLToPath(new URL('./start-with-short-waits.ts', import.meta.url))
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))
const START_TIMEOUT_MILLISECONDS = 60_000

export interface ServiceProcess {
  baseUrl: string
  port: number
  child: ChildProcess
  /** The working folder, which is removed at the end. */
  folder: string
  /** The output so far, of both streams. */
  output(): string
  /** Resolves to the exit code, or null after a signal, when the output is complete. */
  ended: Promise<number | null>
}

interface Options {
  /** The main file of another version. */
  mainFile?: string
  /** Starts with timeouts of milliseconds instead of seconds. */
  hasShortWaits?: boolean
  /** A maximum file size. Larger writes fail as on a full disk, and the limit needs no privileges. */
  fileBytesMaximum?: number
  /** A file for standard error, which is part of the output otherwise. */
  standardErrorFile?: string
  /** A file for standard output. */
  standardOutputFile?: string
}

/** Runs the command line in a new process with only these settings, so in a folder without .env. */
export function runAccounts(
  commandArguments: string[],
  environment: Record<string, string>,
  { mainFile = MAIN, fileBytesMaximum, hasShortWaits, standardErrorFile, standardOutputFile }: Options = {},
): Omit<ServiceProcess, 'baseUrl' | 'port'> {
  // ulimit counts blocks of 512 bytes (POSIX).
  const limit = fileBytesMaximum === undefined ? '' : `ulimit -f ${fileBytesMaximum / 512};`
  const redirections = [
    ...(standardErrorFile === undefined ? [] : [`2>>${standardErrorFile}`]),
    ...(standardOutputFile === undefined ? [] : [`>>${standardOutputFile}`]),
  ].join(' ')
  const program = hasShortWaits ? START_WITH_SHORT_WAITS : mainFile
  // The main file of the service sets this by itself.
  const compileCache = hasShortWaits && { NODE_COMPILE_CACHE: COMPILE_CACHE }
  const folder = createFolder()
  const child = spawn(
    'sh',
    ['-c', `${limit} exec "$@" ${redirections}`, 'sh', process.execPath, program, ...commandArguments],
    {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', ...compileCache, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(([code]) => {
    folder.remove()
    return code as number | null
  })
  return { child, folder: folder.path, output: () => output, ended }
}

/** Starts the service and waits until it is ready. */
export async function startProcess(
  databaseUrl: string,
  environment: Record<string, string> = {},
  options: Options = {},
): Promise<ServiceProcess> {
  const port = await getFreePort()
  const baseUrl = `http://localhost:${port}`
  const settings = {
    PORT: String(port),
    BASE_URL: baseUrl,
    DATABASE_URL: databaseUrl,
    TRUST_PROXY: '1',
    ...environment,
  }
  const running = runAccounts(['start'], settings, options)
  const giveUpAt = Date.now() + START_TIMEOUT_MILLISECONDS
  while (!running.output().includes('Accounts is ready')) {
    if (running.child.exitCode !== null || Date.now() > giveUpAt) {
      running.child.kill('SIGKILL')
      await running.ended
      throw new Error(`The service did not start:\n${running.output()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { ...running, baseUrl, port }
}

export function newSecret(): string {
  return randomBytes(32).toString('hex')
}

/** The token of the printed setup link for the first administrator. */
export function printedSetupToken({ output }: ServiceProcess): string {
  const token = /\/setup#([\w-]{43})/.exec(output())?.[1]
  if (!token) throw new Error('No setup link was printed')
  return token
}
