import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { hash, verify } from '@node-rs/argon2'
import { ARGON2_PARAMETERS } from '../../server/platform/crypto/passwords.ts'
import { PASSWORD } from '../population.ts'

const passwordHash = await hash(PASSWORD, ARGON2_PARAMETERS)

createServer(async (request, response) => {
  // A GET asks whether the server is ready.
  if (request.method === 'POST') {
    const { password } = JSON.parse(await text(request)) as { password: string }
    if (!(await verify(passwordHash, password))) throw new Error('The right password was refused')
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}')
}).listen(Number(process.argv[2]), '127.0.0.1')
