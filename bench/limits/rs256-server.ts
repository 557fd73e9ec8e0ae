import { createServer } from 'node:http'
import { generateKeyPair, SignJWT } from 'jose'

const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048 })

createServer(async (_request, response) => {
  const token = await new SignJWT({ email: 'user@example.com' }).setProtectedHeader({ alg: 'RS256' }).sign(privateKey)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token }))
}).listen(Number(process.argv[2]), '127.0.0.1')
