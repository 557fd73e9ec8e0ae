import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { EMAIL_KINDS } from '../../web/staff/common/email-kinds.ts'
import { everyEmail } from '../support/every-email.ts'

test('Every kind of email is in the list that the browser shows in light and dark', () => {
  const sources = globSync('server/{core,features}/**/*email*.ts').filter((file) => !file.endsWith('.test.ts'))
  const kinds = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^ +kind: '(.+)',$/gm)].map(([, kind]) => kind),
  )
  assert.ok(kinds.length > 15)
  const shown = new Set(everyEmail.map(({ kind }) => kind))
  assert.deepEqual(
    kinds.filter((kind) => !shown.has(kind ?? '')),
    [],
  )
})

test('The pages of the staff have a name for every kind of email, and for no other', () => {
  const kinds = new Set(everyEmail.map(({ kind }) => kind))
  assert.deepEqual(Object.keys(EMAIL_KINDS).toSorted(), [...kinds].toSorted())
})
