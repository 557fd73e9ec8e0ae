import { createServer } from 'node:http'
import pg from 'pg'
import { emailOf, numbers, USER_COUNT } from '../population.ts'
import { signToken } from './sign-token.ts'

const [port, databaseUrl] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: databaseUrl })
const emails = numbers(USER_COUNT).map(emailOf)
await pool.query('create table users (email text primary key, name text not null)')
await pool.query(`insert into users select email, 'A name' from unnest($1::text[]) as email`, [emails])

let turn: { emails: Set<string>; names: Promise<Map<string, string>> } | undefined
let requestCount = 0

createServer(async (_request, response) => {
  requestCount += 1
  const email = emails[requestCount % USER_COUNT]!
  if (!(await findNames(email)).has(email)) throw new Error('The user was not found')
  const token = await signToken()
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token }))
}).listen(Number(port), '127.0.0.1')

/** One round trip for all requests of a turn of the event loop, because one round trip for each takes more CPU time. */
function findNames(email: string): Promise<Map<string, string>> {
  if (turn === undefined) {
    const emails = new Set<string>()
    turn = { emails, names: endOfTurn().then(() => selectNames(emails)) }
  }
  turn.emails.add(email)
  return turn.names
}

async function endOfTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  turn = undefined
}

async function selectNames(emails: Set<string>): Promise<Map<string, string>> {
  const text = 'select email, name from users where email = any($1)'
  const { rows } = await pool.query<{ email: string; name: string }>({ name: 'find', text, values: [[...emails]] })
  return new Map(rows.map(({ email, name }) => [email, name]))
}
