import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseEncoding, prefersHtml } from './content-negotiation.ts'

test('prefersHtml is true for a client that prefers text/html to application/json', () => {
  for (const accept of [
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'TEXT/HTML; q=0.9, application/json;q=0.8',
    'text/*, application/json;q=0.5',
    'text/html;level=1;q=0.7',
  ])
    assert.equal(prefersHtml(accept), true, accept)
  for (const accept of [
    '',
    '*/*',
    'application/json',
    'application/json, text/html',
    'text/html;q=0.5, application/json',
    'application/json, text/plain, */*',
    'text/html;q=0, */*',
    'text/html;q=0.5, */*',
    'text/html;q=nonsense',
    'text/htmlx',
  ])
    assert.equal(prefersHtml(accept), false, accept)
})

test('chooseEncoding returns an encoding that the client accepts', () => {
  const offered = ['br', 'gzip'] as const
  assert.equal(chooseEncoding('gzip, deflate, br', offered), 'br')
  assert.equal(chooseEncoding('gzip;q=0.5, br;q=0', offered), 'gzip')
  assert.equal(chooseEncoding('identity', offered), undefined)
  assert.equal(chooseEncoding('', offered), undefined)
  assert.equal(chooseEncoding('br;q=0, gzip;q=0', offered), undefined)
  assert.equal(chooseEncoding('gzip;q=nonsense', offered), undefined)
  assert.equal(chooseEncoding('identity;q=0, GZIP;q=0.1', offered), 'gzip')
})
