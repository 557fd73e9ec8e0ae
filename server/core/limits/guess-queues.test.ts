import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TooManyWaiting } from '../../platform/crypto/passwords.ts'
import { createGuessQueues } from './guess-queues.ts'

const budgetOf = (key: string) => ({ key, limit: 1, windowMilliseconds: 60_000 })

test('enter throws TooManyWaiting while 1,000 guesses wait, and occupies no other queue', {
  timeout: 20_000,
}, async () => {
  const queues = createGuessQueues()
  const account = budgetOf('password account')
  const network = budgetOf('password a network')
  const running = await queues.enter([account])
  const waiting = Array.from({ length: 1_000 }, () => queues.enter([account]))
  await assert.rejects(queues.enter([network, account]), {
    name: TooManyWaiting.name,
    message: 'Too many passwords or codes are waiting',
  })
  const other = await queues.enter([network])
  other.leave()
  running.leave()
  for (const guess of waiting) (await guess).leave()
  assert.ok(await queues.enter([account]))
})
