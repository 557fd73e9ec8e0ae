import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepareEmailFrom } from './in-transaction.ts'

test('prepareEmailFrom prepares an email again only when the locked rows differ', () => {
  let count = 0
  const emailFor = prepareEmailFrom([{ name: 'Phone' }], (rows) => {
    count += 1
    return { kind: 'test', recipient: 'a@example.com', encryptedEmail: JSON.stringify(rows) }
  })
  assert.equal(emailFor([{ name: 'Phone' }]).encryptedEmail, '[{"name":"Phone"}]')
  assert.equal(count, 1)
  assert.equal(emailFor([{ name: 'Laptop' }]).encryptedEmail, '[{"name":"Laptop"}]')
  assert.equal(count, 2)
})
