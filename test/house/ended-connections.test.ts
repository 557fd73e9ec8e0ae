import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** A statement that ends what other connections do, up to the end of its text. */
const ENDING = /pg_(?:terminate|cancel)_backend\(pid[^`']*/g

// All test files share one server, where databases made from one template have tables with the same OIDs. Another file
// would get 503.
test('Tests end only connections to their own database, or those of their own role', () => {
  const files = globSync('{server,test}/**/*.ts')
  const statements = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(ENDING)].map(([statement]) => `${file}: ${statement}`),
  )
  assert.ok(statements.length > 5, `${statements.length} statements`)
  assert.deepEqual(
    statements.filter((statement) => !/\b(?:datname|usename)\b/.test(statement)),
    [],
  )
})
