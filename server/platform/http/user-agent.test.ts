import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeDevice } from './user-agent.ts'

test('describeDevice returns one of a closed list for every User-Agent', () => {
  const devices = {
    'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0': 'Firefox on Linux',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Safari/604.1':
      'Safari on iPhone',
    'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0': 'Edge on Windows',
    'Firefox/1 https://evil.example Linux': 'Firefox on Linux',
    'curl/8.0': 'an unknown device',
    'Your account is blocked: call +49 30 1234567': 'an unknown device',
    '': 'an unknown device',
  }
  for (const [userAgent, device] of Object.entries(devices)) assert.equal(describeDevice(userAgent), device)
})
