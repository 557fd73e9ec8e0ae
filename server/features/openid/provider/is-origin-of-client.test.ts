import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOriginOfClient } from './is-origin-of-client.ts'

test('A page is of a client on the origin of a redirect URI, and on every port only on loopback', () => {
  for (const [uri, origin, expected] of [
    ['https://app.example.com/callback', 'https://app.example.com', true],
    ['https://app.example.com/callback', 'https://app.example.com:8443', false],
    ['https://app.example.com/callback', 'http://app.example.com', false],
    ['https://localhost:5173/callback', 'https://localhost:5174', false],
    ['http://localhost:5173/callback', 'http://localhost:5174', true],
    ['http://localhost:5173/callback', 'http://localhost', true],
    ['http://localhost:5173/callback', 'https://localhost:5173', false],
    ['http://localhost:5173/callback', 'http://127.0.0.1:5173', false],
    ['http://[::1]:5173/callback', 'http://[::1]:5174', true],
    ['com.example.app:/callback', 'null', false],
    ['com.example.app:/callback', 'http://localhost', false],
  ] as const)
    assert.equal(isOriginOfClient({ redirectUris: [uri] }, origin), expected, `${uri} ${origin}`)
})
