import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { linkNewEvents } from '../../server/core/audit/chain.ts'
import { backUpDatabase } from '../../server/features/copies/back-up-database.ts'
import { startService } from '../support/service.ts'
import { newMember } from '../support/users.ts'

const read = (page: string) => readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8')
const operations = read('operations.md')
const blocksOf = (text: string) => [...text.matchAll(/```sql\n([^`]+)```/g)].map(([, block = '']) => block)

const [, lostSecretPragma = ''] = /`sqlite3 -cmd '([^']+)' data\/accounts\.db`/.exec(operations) ?? []
const [lostSecret = ''] = blocksOf(operations.slice(operations.indexOf('### If SECRET is lost')))
const [, breakInStart = '', breakIn = ''] = blocksOf(operations.slice(operations.indexOf('## After a break-in')))
const [, newChain = ''] = blocksOf(read('audit.md'))

/** The statements, and a column of rows that they delete. */
const PROCEDURES: Record<string, { statements: string; deleted: string }> = {
  'a lost SECRET': {
    statements: `${lostSecretPragma};${lostSecret}`,
    deleted: 'select "encryptedPrivateJwk" as text from "signingKeys"',
  },
  'a break-in': { statements: breakInStart + breakIn, deleted: 'select "passwordHash" as text from accounts' },
  'a new chain': { statements: newChain, deleted: 'select mac as text from "auditEvents"' },
}

for (const [name, { statements, deleted }] of Object.entries(PROCEDURES)) {
  test(`The statements of the documents for ${name} leave no deleted row in the free space of a SQLite file`, async (t) => {
    const service = await startService({ engine: 'sqlite' })
    t.after(() => service.stop())
    await newMember(service)
    await linkNewEvents(service.context)
    const { database } = service.config
    assert.ok(database.engine === 'sqlite')
    const file = `${database.path}.copy`
    await backUpDatabase(service.context, file, () => {})
    const connection = new DatabaseSync(file)
    const texts = connection
      .prepare(deleted)
      .all()
      .map(({ text }) => String(text))
    assert.ok(texts.length > 0)
    // The shell of SQLite runs lines that begin with a dot.
    connection.exec(statements.replaceAll(/^\..*\n/gm, ''))
    connection.close()
    const contents = readFileSync(file, 'latin1')
    assert.equal(texts.filter((text) => contents.includes(text)).length, 0)
  })
}
