import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { findSqliteDamage } from './find-damage.ts'
import { addressForReading } from './open-for-reading.ts'
import { openFile } from './sqlite-file.ts'

const ROWS = 3_000

function closeFile({ reader, writer }: ReturnType<typeof openFile>): void {
  reader.close()
  writer.close()
}

test('A reader beside a service that has changed nothing yet finds no damage in its changes', (t) => {
  const path = join(createTemporaryFolder(t), 'accounts.db')
  const run = ({ writer }: ReturnType<typeof openFile>, sql: string) => writer.run({ sql, parameters: [] } as never)
  const first = openFile(path, 0)
  run(first, 'create table users (id integer primary key, name text)')
  closeFile(first)
  assert.ok(!existsSync(`${path}-wal`), 'a stop merges the -wal file')
  assert.match(addressForReading(path) ?? '', /immutable=1$/)

  const serving = openFile(path, 0)
  t.after(() => closeFile(serving))
  assert.equal(statSync(`${path}-wal`).size, 0)
  assert.equal(addressForReading(path), path)
  for (let count = 0; count < ROWS; count += 1) run(serving, `insert into users (name) values ('${'x'.repeat(200)}')`)
  run(serving, 'pragma wal_checkpoint(truncate)')
  assert.equal(findSqliteDamage(path), undefined)
})
