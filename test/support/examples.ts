import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Service } from './service.ts'
import { administrator, type TestMember } from './users.ts'

const ROOT = join(import.meta.dirname, '../..')
export const EXAMPLES = join(ROOT, 'examples')
export const CONNECT_A_SERVICE = readFileSync(join(ROOT, 'docs/connect-a-service.md'), 'utf8')

type Environment = Record<string, string | undefined>

/** Ends an example with the process of its test, which closes this pipe even when it is killed. */
const END_WITH_PARENT = 'data:text/javascript,process.stdin.on("end",()=>process.exit()).resume();process.stdin.unref()'

/** Runs an unchanged file of examples/ in a new process. */
export function runExample(file: string, environment: Environment): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, ['--import', END_WITH_PARENT, join(EXAMPLES, file)], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

/** Starts a server of examples/. @returns what stops it */
export async function startExample(file: string, environment: Environment): Promise<() => void> {
  const child = runExample(file, environment)
  for await (const line of createInterface(child.stdout)) if (line.startsWith('ready')) return () => child.kill()
  return assert.fail(`${file} did not start`)
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
