import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { drawProgress, endProgress } from './progress-bar.ts'

test('A progress bar fits into one line of a narrow, a usual and an unknown terminal', (t) => {
  for (const [columns, expected] of [
    [10, '\rOrganizat'],
    [35, '\rOrganizations  50 % (10,000 of 20,'],
    [40, '\rOrganizations █ 50 % (10,000 of 20,000)'],
    [50, `\rOrganizations ${'█'.repeat(6)}${'░'.repeat(5)} 50 % (10,000 of 20,000)`],
    [80, `\rOrganizations ${'█'.repeat(16)}${'░'.repeat(16)} 50 % (10,000 of 20,000)`],
    [0, `\rOrganizations ${'█'.repeat(16)}${'░'.repeat(16)} 50 % (10,000 of 20,000)`],
  ] as const) {
    const written = pretendTerminal(t, columns)
    drawProgress('Organizations', 10_000, 20_000)
    assert.deepEqual(written(), [expected])
  }
})

test('An error after an unfinished progress bar begins a new line', (t) => {
  const written = pretendTerminal(t, 80)
  drawProgress('Copied', 1, 2)
  endProgress()
  assert.equal(written().at(-1), '\n')
  drawProgress('Copied', 2, 2)
  const count = written().length
  endProgress()
  assert.equal(written().length, count, 'the bar at its end has ended its line')
})

/** @returns a function that lists what was written */
function pretendTerminal(t: TestContext, columns: number): () => string[] {
  const { isTTY = false, columns: former } = process.stderr
  const { mock } = t.mock.method(process.stderr, 'write', () => true)
  Object.assign(process.stderr, { isTTY: true, columns })
  t.after(() => Object.assign(process.stderr, { isTTY, columns: former }))
  return () => mock.calls.map(({ arguments: [text] }) => String(text))
}
