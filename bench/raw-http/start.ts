import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getFreePort } from '../../test/support/free-port.ts'
import { type RunningServer, startServer } from '../server-process.ts'
import type { Workplace } from '../workplace.ts'
import type { CapturedAnswer } from './capture.ts'

const SERVER = fileURLToPath(new URL('./server.ts', import.meta.url))

/** Starts a bare `node:http` server with one fixed answer, the upper limit for a service in Node. */
export async function startRawHttp(workplace: Workplace, answer: CapturedAnswer): Promise<RunningServer> {
  const port = await getFreePort()
  const answerPath = join(workplace.folder, 'answer.json')
  writeFileSync(answerPath, JSON.stringify(answer))
  const args = [String(port), answerPath]
  return startServer(workplace, { name: 'node:http', script: SERVER, args, environment: {}, port, readyPath: '/' })
}
