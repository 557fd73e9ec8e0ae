import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Service } from './service.ts'
import { administrator, type TestMember } from './users.ts'

const ROOT = join(import.meta.dirname, '../..')
export const EXAMPLES = join(ROOT, 'examples')
export const CONNECT_A_SERVICE = readFileSync(join(ROOT, 'docs/connect-a-service.md'), 'utf8')

/** A file name in the text before a program, and the program. */
const NAMED_PROGRAM = /`([\w-]+\.m[jt]s)`(?:(?!```).)*```[jt]s\n(.*?)```/gs

type Environment = Record<string, string | undefined>

/** Ends an example with the process of its test, which closes this pipe even when it is killed. */
const END_WITH_PARENT = 'data:text/javascript,process.stdin.on("end",()=>process.exit()).resume();process.stdin.unref()'

type Program = ChildProcessByStdio<Writable, Readable, null>

/** Runs an unchanged file of examples/ in a new process. */
export function runExample(file: string, environment: Environment): Program {
  return runProgram(join(EXAMPLES, file), { ...process.env, ...environment })
}

/** Starts a server of examples/. @returns what stops it */
export async function startExample(file: string, environment: Environment): Promise<() => void> {
  const child = runExample(file, environment)
  await linesOf(child, file)
  return () => child.kill()
}

export interface DocumentedService {
  /** Its output after the line that says that it is ready. */
  lines: Interface
  stop(): void
}

/** Starts the unchanged program of a file of docs/, the first one if there are several, with these settings only. */
export async function startDocumentedService(document: string, environment: Environment): Promise<DocumentedService> {
  const found = readFileSync(join(ROOT, 'docs', document), 'utf8').matchAll(NAMED_PROGRAM)
  const files = [...found].map(([, name = '', program = '']) => ({ name, program }))
  const [main] = files
  assert.ok(main, `${document} has the name of a file and its program`)
  const folder = mkdtempSync(join(tmpdir(), 'accounts-docs-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  // `npm init` writes this type. Node must not read the program as CommonJS then.
  writeFileSync(join(folder, 'package.json'), '{"type": "commonjs"}')
  for (const { name, program } of files) writeFileSync(join(folder, name), program)
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = runProgram(join(folder, main.name), { PATH, NODE_COMPILE_CACHE, ...environment })
  const stop = () => {
    child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  return { lines: await linesOf(child, document), stop }
}

function runProgram(path: string, environment: Environment): Program {
  return spawn(process.execPath, ['--import', END_WITH_PARENT, path], {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

/** Waits until a program is ready. @returns its later output */
async function linesOf({ stdout }: Program, name: string): Promise<Interface> {
  const lines = createInterface(stdout)
  const [line = ''] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  assert.ok(line.startsWith('ready'), `${name} did not start`)
  return lines
}

interface RegisteredClient {
  CLIENT_ID: string
  CLIENT_SECRET?: string
}

/** Registers a client with the metadata that the document shows, for an example on this port. */
export async function registerExample(
  accounts: Service,
  { organization }: TestMember,
  { name, port, change = {} }: { name: string; port: number; change?: Record<string, unknown> },
): Promise<RegisteredClient> {
  const json = new RegExp(`^\`\`\`json ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(CONNECT_A_SERVICE)?.[1]
  assert.ok(json, `the document has the metadata of ${name}`)
  const shown = JSON.parse(json.replaceAll(':4000/', `:${port}/`))
  const owner = shown.ownedBy === 'service' ? {} : { organizationId: organization.id }
  const { client } = await administrator(accounts)
  const { status, body } = await client.post('/api/auth/oauth2/create-client', { ...shown, ...owner, ...change })
  assert.equal(status, 200, JSON.stringify(body))
  return { CLIENT_ID: body.client_id, ...(body.client_secret && { CLIENT_SECRET: body.client_secret }) }
}
