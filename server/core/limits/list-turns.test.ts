import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../platform/http/errors.ts'
import { createListTurns } from './list-turns.ts'

test('The fifth concurrent list of a user waits for the end of one of the others, in the order of arrival', async () => {
  const turns = createListTurns()
  const endings = [await turns.take('ada'), await turns.take('ada'), await turns.take('ada'), await turns.take('ada')]
  const begun: string[] = []
  const fifth = turns.take('ada').then(() => begun.push('fifth'))
  const sixth = turns.take('ada').then(() => begun.push('sixth'))
  await turns.take('bob')
  assert.deepEqual(begun, [])
  endings[2]?.()
  await fifth
  assert.deepEqual(begun, ['fifth'])
  endings[0]?.()
  await sixth
  assert.deepEqual(begun, ['fifth', 'sixth'])
})

test('A list that gets no turn is refused with the seconds to wait, and takes the turn of no other list', async () => {
  const turns = createListTurns(1)
  const endings = [await turns.take('ada'), await turns.take('ada'), await turns.take('ada'), await turns.take('ada')]
  await assert.rejects(
    turns.take('ada'),
    (error) => error instanceof ApiError && error.code === 'TOO_MANY_REQUESTS' && error.retryAfterSeconds === 1,
  )
  for (const end of endings) {
    end()
    await turns.take('ada')
  }
})

test('A turn that is ended twice makes room for one list', async () => {
  const turns = createListTurns(1)
  const endings = [await turns.take('ada'), await turns.take('ada'), await turns.take('ada'), await turns.take('ada')]
  endings[0]?.()
  endings[0]?.()
  await turns.take('ada')
  await assert.rejects(turns.take('ada'), { code: 'TOO_MANY_REQUESTS' })
})
