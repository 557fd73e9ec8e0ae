import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toScaleOptions } from './options.ts'

const DEFAULTS = { users: '1000', engines: 'sqlite,postgres', out: 'out', 'warm-up': '16', minutes: '8', quick: false }

test('Measurements refuse unknown engines, and options that are no numbers', () => {
  const { sizes, engines } = toScaleOptions({ ...DEFAULTS, users: '30000,1000' })
  assert.deepEqual({ sizes, engines }, { sizes: [1000, 30_000], engines: ['sqlite', 'postgres'] })
  const refused: [Partial<typeof DEFAULTS>, RegExp][] = [
    [{ engines: 'sqlite,mysql' }, /^Error: Unknown engine: mysql\.$/],
    [{ users: '1000,many' }, /^Error: --users must be a number of at least 1, not 'many'\.$/],
    [{ 'warm-up': '' }, /^Error: --warm-up must be/],
    [{ minutes: '8m' }, /^Error: --minutes must be/],
  ]
  for (const [values, message] of refused) assert.throws(() => toScaleOptions({ ...DEFAULTS, ...values }), message)
})
