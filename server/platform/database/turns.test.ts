import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTimeBudget, withTimeBudget } from './time-budget.ts'
import { createTurns, takeTurnInTime } from './turns.ts'
import { DatabaseUnavailable } from './unavailable.ts'

test('The fifth of four turns of a key waits for the end of one of the others, in the order of arrival', async () => {
  const turns = createTurns()
  const endings = await Promise.all(Array.from({ length: 4 }, () => turns.take('ada', 4)))
  const begun: string[] = []
  const fifth = turns.take('ada', 4).then(() => begun.push('fifth'))
  const sixth = turns.take('ada', 4).then(() => begun.push('sixth'))
  await turns.take('bob', 4)
  assert.deepEqual(begun, [])
  endings[2]?.()
  await fifth
  assert.deepEqual(begun, ['fifth'])
  endings[0]?.()
  await sixth
  assert.deepEqual(begun, ['fifth', 'sixth'])
})

test('A wait that ends without a turn is refused, and takes the turn of no other', async () => {
  const turns = createTurns()
  const late = new Error('late')
  const endings = await Promise.all(Array.from({ length: 4 }, () => turns.take('ada', 4)))
  await assert.rejects(
    turns.take('ada', 4, ({ leaveAfter }) => leaveAfter(1, () => late)),
    late,
  )
  await assert.rejects(
    turns.take('ada', 4, ({ leave }) => leave(late)),
    late,
  )
  for (const end of endings) {
    end()
    await turns.take('ada', 4, ({ leave }) => leave(late))
  }
})

test('A turn that is ended twice makes room for one', async () => {
  const turns = createTurns()
  const end = await turns.take('ada', 1)
  end()
  end()
  await turns.take('ada', 1)
  await assert.rejects(turns.take('ada', 1, ({ leave }) => leave(new Error('no room'))))
})

test('A turn that ends in the tick in which the waits of its key fail is free for the next one', async () => {
  const turns = createTurns()
  const end = await turns.take('ada', 1)
  const down = new Error('down')
  const waits = [turns.take('ada', 1), turns.take('ada', 1)]
  turns.failAllWaiting('ada', down)
  end()
  for (const wait of waits) await assert.rejects(wait, down)
  await turns.take('ada', 1, ({ leave }) => leave(new Error('no room')))
})

test('A wait for a turn takes the time of its request, and ends as unavailable when none is left', async () => {
  const turns = createTurns()
  const end = await turns.take('ada', 1)
  const budget = newTimeBudget(1)
  const wait = () => withTimeBudget(budget, () => takeTurnInTime(turns, 'ada', 1))
  await assert.rejects(wait, DatabaseUnavailable)
  await assert.rejects(wait, /is used up/)
  end()
  await turns.take('ada', 1, ({ leave }) => leave(new Error('no room')))
})
