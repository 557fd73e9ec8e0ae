import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newToken } from '../../platform/crypto/tokens.ts'
import { canBeOfSession, newSessionTokenId } from './session-token-id.ts'

test('A token id belongs to one session, and two token ids of a session have nothing in common', () => {
  const [first, next] = [1, 2].map(() => newSessionTokenId({ randomBytes }, 'ses_a')) as [string, string]
  assert.ok(canBeOfSession(first, 'ses_a') && canBeOfSession(next, 'ses_a'))
  assert.ok(!canBeOfSession(first, 'ses_b'))
  const parts = [first, next].flatMap((id) => id.split('~'))
  assert.equal(new Set(parts).size, 4)
  assert.ok(!parts.some((part) => part.includes('ses_a')))
})

test('A token id with a changed mark belongs to no session, and one without a mark may belong to any session', () => {
  const id = newSessionTokenId({ randomBytes }, 'ses_a')
  for (const changed of [`${id}~`, `${id}a`, id.replace(/~.*/, '~')]) assert.ok(!canBeOfSession(changed, 'ses_a'))
  assert.ok(canBeOfSession(newToken({ randomBytes }), 'ses_a'))
})
