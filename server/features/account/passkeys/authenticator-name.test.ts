import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticatorName } from './authenticator-name.ts'
import names from './authenticator-names.json' with { type: 'json' }

test('authenticatorName returns the name of an AAGUID, or Passkey for an unknown one', () => {
  assert.equal(authenticatorName('bada5566-a7aa-401f-bd96-45619a55120d'), '1Password')
  assert.equal(authenticatorName('00000000-0000-0000-0000-000000000000'), 'Passkey')
  assert.equal(authenticatorName('constructor'), 'Passkey')
})

test('The list of authenticators is sorted, and every key is an AAGUID', () => {
  const ids = Object.keys(names)
  assert.deepEqual(ids, ids.toSorted())
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})
