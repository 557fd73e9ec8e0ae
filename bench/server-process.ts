import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMebibytes } from '../test/support/resident-memory.ts'
import type { Workplace } from './workplace.ts'

const POLL_MILLISECONDS = 3
const START_MILLISECONDS_MAXIMUM = 60_000

export interface ServerCommand {
  name: string
  nodeOptions?: string[]
  script: string
  args: string[]
  environment: Record<string, string>
  port: number
  /** A path that returns 200 when the server is ready. */
  readyPath: string
}

export interface RunningServer {
  name: string
  port: number
  processId: number
  /** The time from the spawn to the last byte of the first 200. */
  startMilliseconds: number
  /** Undefined without /proc. */
  residentMebibytes(): number | undefined
  readLog(): string
  stop(): Promise<void>
}

/** Starts a server process with only PATH of this environment, and waits until it is ready. */
export async function startServer(workplace: Workplace, command: ServerCommand): Promise<RunningServer> {
  const { name, nodeOptions = [], script, args, environment, port } = command
  const logPath = join(workplace.folder, `${port}.log`)
  // The log goes to a file, because refused requests would hide the progress lines.
  const log = openSync(logPath, 'a')
  const startedAt = performance.now()
  const child = workplace.owns(
    spawn(process.execPath, [...nodeOptions, script, ...args], {
      cwd: workplace.folder,
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
      stdio: ['ignore', log, log],
    }),
  )
  closeSync(log)
  const exited = once(child, 'exit')
  while (!(await answersOk(port, command.readyPath))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${name} ended before it served:\n${readFileSync(logPath, 'utf8')}`)
    if (performance.now() - startedAt > START_MILLISECONDS_MAXIMUM) throw new Error(`${name} did not start to serve`)
    await pause(POLL_MILLISECONDS)
  }
  const processId = child.pid!
  return {
    name,
    port,
    processId,
    startMilliseconds: performance.now() - startedAt,
    residentMebibytes: () => residentMebibytes(processId),
    readLog: () => readFileSync(logPath, 'utf8'),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function answersOk(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200))
    }).on('error', () => resolve(false))
  })
}
