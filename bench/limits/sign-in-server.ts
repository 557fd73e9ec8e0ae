import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { hash, verify } from '@node-rs/argon2'
import { ARGON2_PARAMETERS } from '../../server/platform/crypto/passwords.ts'
import { PASSWORD } from '../population.ts'
import { openUsers } from './users.ts'

const [port, databaseUrl = ''] = process.argv.slice(2)
const users = await openUsers(databaseUrl, await hash(PASSWORD, ARGON2_PARAMETERS))

createServer(async (request, response) => {
  // A GET asks whether the server is ready.
  if (request.method === 'POST') {
    const { email, password } = JSON.parse(await text(request)) as { email: string; password: string }
    if (!(await verify(await users.getHash(email), password))) throw new Error('The right password was refused')
    await users.insertSession(randomUUID(), email)
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}')
}).listen(Number(port), '127.0.0.1')
