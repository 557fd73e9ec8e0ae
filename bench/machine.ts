import { availableParallelism, cpus, totalmem } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

const LOOK_MILLISECONDS = 500

/** Looks, while nothing of ours is at work, at what else is: the figures are worth as much as the machine is quiet. */
export interface MachineWatch {
  look(): Promise<void>
  /** Where the figures come from, in one line: they mean nothing without it. */
  describe(): string
}

export function watchMachine(): MachineWatch {
  const busyCores: number[] = []

  return {
    async look() {
      const before = cpuTimes()
      await pause(LOOK_MILLISECONDS)
      const after = cpuTimes()
      const idleShare = (after.idle - before.idle) / (after.all - before.all)
      busyCores.push((1 - idleShare) * cpus().length)
    },
    describe() {
      const memoryGibibytes = Math.round(totalmem() / 2 ** 30)
      const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}, ${memoryGibibytes} GiB`
      const mean = busyCores.reduce((sum, cores) => sum + cores, 0) / busyCores.length
      const most = Math.max(...busyCores)
      const others = `other work kept ${mean.toFixed(1)} cores busy between the rounds, at most ${most.toFixed(1)}`
      return `${machine}, ${process.platform}, Node ${process.version}; ${others}`
    },
  }
}

function cpuTimes(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times)
  const idle = times.reduce((sum, time) => sum + time.idle, 0)
  return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) }
}
