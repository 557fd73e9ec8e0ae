import { availableParallelism, cpus, totalmem } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

const LOOK_MILLISECONDS = 2_000

/** Where the figures come from, in one line: they mean nothing without it. Asked before anything is measured. */
export async function describeMachine(): Promise<string> {
  const memoryGibibytes = Math.round(totalmem() / 2 ** 30)
  const model = cpus()[0]?.model ?? 'unknown processor'
  const busyCores = (await busyShare()) * cpus().length
  return `${availableParallelism()} × ${model}, ${memoryGibibytes} GiB, ${process.platform}, Node ${process.version}; other work kept ${busyCores.toFixed(1)} cores busy before`
}

/** How much of the machine was not idle meanwhile, from 0 to 1. */
async function busyShare(): Promise<number> {
  const before = cpuTimes()
  await pause(LOOK_MILLISECONDS)
  const after = cpuTimes()
  return 1 - (after.idle - before.idle) / (after.all - before.all)
}

function cpuTimes(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times)
  const idle = times.reduce((sum, time) => sum + time.idle, 0)
  return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) }
}
