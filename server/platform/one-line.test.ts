import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toOneLine } from './one-line.ts'

test('toOneLine removes the characters that control a terminal, end a line or change the direction of text', () => {
  assert.equal(toOneLine(' 550 no\r\n\u001b[2J\u009b2J\0end '), '550 no [2J 2J end')
  assert.equal(toOneLine('550 \u202eno\u2066 \u200fmail\u200bbox\u2028is\u2029here'), '550 no mailbox is here')
  assert.equal(toOneLine('550 kein Postfach für Zoë, 無し'), '550 kein Postfach für Zoë, 無し')
})
