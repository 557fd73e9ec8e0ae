import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticatorName } from './authenticator-name.ts'
import names from './authenticator-names.json' with { type: 'json' }

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

test('authenticatorName returns the name of an AAGUID, else the browser that made the passkey, else Passkey', () => {
  assert.equal(authenticatorName('bada5566-a7aa-401f-bd96-45619a55120d', FIREFOX), '1Password')
  assert.equal(authenticatorName('00000000-0000-0000-0000-000000000000', FIREFOX), 'Passkey made in Firefox on Linux')
  assert.equal(authenticatorName('00000000-0000-0000-0000-000000000000', 'node'), 'Passkey')
  assert.equal(authenticatorName('constructor', null), 'Passkey')
})

test('The list of authenticators is sorted, and every key is an AAGUID', () => {
  const ids = Object.keys(names)
  assert.deepEqual(ids, ids.toSorted())
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})
