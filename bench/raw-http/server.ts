import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { CapturedAnswer } from './capture.ts'

const [port, answerPath = ''] = process.argv.slice(2)
const { headers, body } = JSON.parse(readFileSync(answerPath, 'utf8')) as CapturedAnswer

// The fastest possible Node server: no routing, no parsing, one fixed answer. The body is a string, because Node writes
// it together with the head. A Buffer needs a second write.
createServer((_request, response) => {
  response.writeHead(200, headers).end(body)
}).listen(Number(port), '127.0.0.1')
