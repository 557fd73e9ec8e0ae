import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { CapturedAnswer } from './capture.ts'

const [port, answerPath = ''] = process.argv.slice(2)
const { headers, body } = JSON.parse(readFileSync(answerPath, 'utf8')) as CapturedAnswer

// The least that a Node server can do: no routing, no parsing, one answer that is ready. A string goes out in one write
// together with the head, a Buffer in two parts, which is slower.
createServer((_request, response) => {
  response.writeHead(200, headers).end(body)
}).listen(Number(port), '127.0.0.1')
