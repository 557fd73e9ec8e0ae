import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExhaustedBudgets } from './exhausted-budgets.ts'

const WINDOW_MILLISECONDS = 60_000

const budgetOf = (index: number) => ({ key: `network ${index}`, limit: 3, windowMilliseconds: WINDOW_MILLISECONDS })

test('createExhaustedBudgets remembers at most 10,000 budgets, and a new one replaces the oldest', () => {
  const budgets = createExhaustedBudgets(() => 0)
  for (let index = 0; index <= 10_000; index += 1) budgets.add(budgetOf(index), WINDOW_MILLISECONDS)
  assert.equal(budgets.findWindowEnd([budgetOf(0)]), undefined)
  assert.equal(budgets.findWindowEnd([budgetOf(0), budgetOf(1)]), WINDOW_MILLISECONDS)
  // A budget that is used up again counts as new.
  budgets.add(budgetOf(1), WINDOW_MILLISECONDS)
  budgets.add(budgetOf(10_001), WINDOW_MILLISECONDS)
  assert.equal(budgets.findWindowEnd([budgetOf(2)]), undefined)
  assert.equal(budgets.findWindowEnd([budgetOf(1)]), WINDOW_MILLISECONDS)
})

test('createExhaustedBudgets trusts a budget for a second, in which staff may clear it in another process', () => {
  let now = 0
  const budgets = createExhaustedBudgets(() => now)
  budgets.add(budgetOf(1), WINDOW_MILLISECONDS)
  now = 1_000
  assert.equal(budgets.findWindowEnd([budgetOf(1)]), WINDOW_MILLISECONDS)
  now = 1_001
  assert.equal(budgets.findWindowEnd([budgetOf(1)]), undefined)
})
