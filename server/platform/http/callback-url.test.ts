import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { maliciousUrls } from '../../../test/support/malicious-urls.ts'
import { readConfig } from '../config/config.ts'
import { parseCallbackUrl, parseNext } from './callback-url.ts'
import { ApiError } from './errors.ts'

const config = readConfig({
  BASE_URL: 'http://localhost:3000',
  SECRET: 'x'.repeat(32),
  RETURN_TO_ORIGINS: 'https://app.example.com,https://other.example.com:8443',
})

describe('callback URLs', () => {
  test('parseCallbackUrl accepts a path of the service, and any URL on its own or an allowed origin', () => {
    const allowed = [
      '/',
      '/account',
      '/account?tab=1#x',
      'http://localhost:3000/account',
      'https://app.example.com',
      'https://app.example.com/a?b=c#d',
      'https://other.example.com:8443/',
    ]
    for (const text of allowed) assert.equal(parseCallbackUrl(config, text, 'callbackURL'), text)
  })

  test('parseCallbackUrl refuses a path of the service with a next that is not allowed', () => {
    const path = '/reset-password?next=https%3A%2F%2Fapp.example.com'
    assert.equal(parseCallbackUrl(config, path, 'redirectTo'), path)
    for (const text of [
      '/reset-password?next=https://evil.example',
      'http://localhost:3000/sign-in?next=https://evil.example',
      '/account?next=https://app.example.com&next=https://evil.example',
      '/account?%6eext=//evil.example',
    ]) {
      assert.throws(() => parseCallbackUrl(config, text, 'redirectTo'), ApiError, text)
    }
    const theirs = 'https://app.example.com/start?next=https://elsewhere.example'
    assert.equal(parseCallbackUrl(config, theirs, 'callbackURL'), theirs)
  })

  test('GHSA-vp58-j275-797x, CVE-2026-41569, CVE-2022-3782: parseCallbackUrl refuses a hundred malicious URLs', () => {
    assert.ok(maliciousUrls.length >= 100)
    for (const text of maliciousUrls) {
      const refused = (error: unknown) =>
        error instanceof ApiError && error.code === 'INVALID_CALLBACK_URL' && error.field === 'callbackURL'
      assert.throws(() => parseCallbackUrl(config, text, 'callbackURL'), refused, JSON.stringify(text))
      assert.throws(() => parseNext(config, text), ApiError, JSON.stringify(text))
    }
  })

  test('parseNext accepts exactly an allowed origin, with or without one slash', () => {
    for (const text of ['https://app.example.com', 'https://app.example.com/']) {
      assert.equal(parseNext(config, text), text)
    }
    for (const text of [
      '',
      '/',
      '/account',
      'http://localhost:3000',
      'https://app.example.com//',
      'https://app.example.com/?',
      'https://app.example.com/#',
      'https://app.example.com/path',
    ]) {
      assert.throws(() => parseNext(config, text), ApiError, text)
    }
  })
})
