import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as library from 'oidc-provider'
import type { OpenIdContext } from '../common/openid-context.ts'
import { resourceServerOf } from './resources.ts'

const isAccepted = (baseUrl: string, resource: string): boolean => {
  try {
    resourceServerOf({ config: { baseUrl }, library } as OpenIdContext, resource)
    return true
  } catch (error) {
    assert.ok(error instanceof library.errors.InvalidTarget, String(error))
    return false
  }
}

test('A resource may have http on this machine, while BASE_URL is on localhost, and nowhere else', () => {
  for (const resource of ['http://localhost:8000/mcp', 'http://127.0.0.1:8000', 'http://[::1]:8000/mcp']) {
    assert.equal(isAccepted('http://localhost:3000', resource), true, resource)
    assert.equal(isAccepted('https://accounts.example.com', resource), false, resource)
  }
  for (const resource of [
    'http://api.example.com',
    'http://localhost.evil.example/',
    'http://user@localhost:8000/',
    'http://localhost:8000/#a',
    'ftp://localhost/',
  ])
    assert.equal(isAccepted('http://localhost:3000', resource), false, resource)
})

test('A resource has no spaces, control characters, backslashes or other characters that a URL encodes', () => {
  const resource = 'https://api.example.com/v1'
  assert.equal(isAccepted('https://accounts.example.com', resource), true)
  for (const other of [' ', '\t', '\n', '\\', '\u00a0', 'ä'])
    assert.equal(isAccepted('https://accounts.example.com', `${resource}${other}`), false, JSON.stringify(other))
})
