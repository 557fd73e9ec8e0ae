import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTotals } from './totals.ts'

test('A counter has at most 10,000 labels, and counts further ones together', () => {
  const totals = createTotals()
  const increment = (label: string) => totals.increment('accounts_tokens_minted_total', label)
  for (let index = 0; index < 20_000; index += 1) increment(`org-${index}`)
  increment('org-0')
  const entries = new Map(totals.entries('accounts_tokens_minted_total'))
  assert.equal(entries.size, 10_001)
  assert.deepEqual([entries.get('org-0'), entries.get('org-9999'), entries.get('(others)')], [2, 1, 10_000])
})
