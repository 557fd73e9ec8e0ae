import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMAIL_KINDS } from '../../web/staff/common/email-kinds.ts'
import { everyEmail } from '../support/every-email.ts'

test('Every kind of email is in the list that the browser shows in light and dark', () => {
  const kinds = new Set(everyEmail.map(({ kind }) => kind))
  assert.deepEqual([...kinds].toSorted(), Object.keys(EMAIL_KINDS).toSorted())
})
