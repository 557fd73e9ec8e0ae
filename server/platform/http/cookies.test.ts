import assert from 'node:assert/strict'
import { test } from 'node:test'
import cookie from '@fastify/cookie'
import Fastify from 'fastify'
import { createCookies } from './cookies.ts'

async function readWith(header: string, baseUrl = 'http://localhost') {
  const cookies = createCookies(baseUrl)
  const app = Fastify()
  await app.register(cookie)
  app.get('/', (request) => ({
    one: cookies.read(request, 'session') ?? null,
    all: cookies.readAll(request, 'session'),
  }))
  return (await app.inject({ url: '/', headers: { cookie: header } })).json()
}

test('A cookie whose value is not one of ours counts as missing', async () => {
  for (const value of ['', 'a%00b', 'a b', 'a%0d%0ab', 'a/b', '%ff', '%ed%a0%80', 'ä'])
    assert.equal((await readWith(`session=${value}`)).one, null, value)
  for (const value of ['abc_DEF-019', 'inv_1.secret']) assert.equal((await readWith(`session=${value}`)).one, value)
})

test('A cookie without __Host- counts as missing on https', async () => {
  const { one, all } = await readWith('session=a; __Host-session=b', 'https://accounts.example.com')
  assert.deepEqual([one, all], ['b', ['b']])
  assert.equal((await readWith('session=a', 'https://accounts.example.com')).one, null)
})

test('A cookie of another subdomain with a space of Latin-1 before __Host- counts as missing', async () => {
  const { one, all } = await readWith('\u00a0__Host-session=a; __Host-session=b', 'https://accounts.example.com')
  assert.deepEqual([one, all], ['b', ['b']])
})

test('readAll returns each different value of a cookie once', async () => {
  const { all } = await readWith('session=a; device=x; session=b;session=a; sessions=c')
  assert.deepEqual(all, ['a', 'b'])
})
