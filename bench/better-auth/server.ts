import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { toNodeHandler } from 'better-auth/node'
import { createAuth } from './create-auth.ts'
import { openDatabase } from './open-database.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    database: { type: 'string', default: '' },
    secret: { type: 'string', default: '' },
    'signs-on-get-session': { type: 'boolean', default: false },
  },
})

const auth = createAuth({
  database: openDatabase(values.database),
  secret: values.secret,
  baseURL: `http://localhost:${values.port}`,
  signsOnGetSession: values['signs-on-get-session'],
})
createServer(toNodeHandler(auth)).listen(Number(values.port), '127.0.0.1')
