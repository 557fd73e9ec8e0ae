import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureLimit } from './limit.ts'

/** Needs a second of CPU time, and a pause, before it is ready. Its operation takes 20 ms of CPU time. */
const THREAD = `
  import { setTimeout as pause } from 'node:timers/promises'
  import { repeatOperation } from '${new URL('./repeat-operation.ts', import.meta.url)}'
  function useCpu(milliseconds) {
    const before = process.threadCpuUsage()
    let used
    do {
      for (let count = 0; count < 1e5; count += 1);
      used = process.threadCpuUsage(before)
    } while (used.user + used.system < milliseconds * 1000)
  }
  useCpu(1000)
  await pause(500)
  await repeatOperation(() => useCpu(20))`

test('The CPU time of a limit is that of its operations alone, not of their preparation', async () => {
  const file = new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`)
  const { perSecond, cpuMicroseconds } = await measureLimit(file, 2, 300)
  assert.ok(perSecond > 0)
  assert.ok(cpuMicroseconds >= 20_000 && cpuMicroseconds < 50_000, `${cpuMicroseconds} µs`)
})
