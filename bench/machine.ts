import { availableParallelism, cpus, totalmem } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

const MEASURED_MILLISECONDS = 500

/** Measures other work on the machine between the rounds, because it makes the results less reliable. */
export interface MachineWatch {
  measureOtherWork(): Promise<void>
  /** Describes the machine and its other work in one line. */
  describe(): string
}

export function watchMachine(): MachineWatch {
  const busyCores: number[] = []

  return {
    async measureOtherWork() {
      const before = cpuTimes()
      await pause(MEASURED_MILLISECONDS)
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
