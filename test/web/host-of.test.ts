import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostOf } from '../../web/apps/host-of.ts'

test('The consent page names where an app leads back to, also in a browser without URL.parse', (t) => {
  const { parse } = URL
  Reflect.deleteProperty(URL, 'parse')
  t.after(() => Object.assign(URL, { parse }))
  for (const [origin, host] of [
    ['https://app.example.com:8443', 'app.example.com:8443'],
    ['http://localhost:3001', 'an app on this device'],
    ['http://[::1]:3001', 'an app on this device'],
    ['com.example.app:', 'an app on this device'],
    ['null', 'an app on this device'],
  ] as const) {
    assert.equal(hostOf(origin), host, origin)
  }
})
