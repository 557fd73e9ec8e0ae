import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticatorName } from './authenticator-name.ts'
import names from './authenticator-names.json' with { type: 'json' }

test('An authenticator is called by its name, and one that does not say is a passkey', () => {
  assert.equal(authenticatorName('bada5566-a7aa-401f-bd96-45619a55120d'), '1Password')
  assert.equal(authenticatorName('00000000-0000-0000-0000-000000000000'), 'Passkey')
  assert.equal(authenticatorName('constructor'), 'Passkey')
})

test('The list of authenticators is in order, and each one is an AAGUID', () => {
  const ids = Object.keys(names)
  assert.deepEqual(ids, ids.toSorted())
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})
