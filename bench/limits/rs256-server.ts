import { createServer } from 'node:http'
import { signToken } from './sign-token.ts'

createServer(async (_request, response) => {
  const token = await signToken()
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token }))
}).listen(Number(process.argv[2]), '127.0.0.1')
