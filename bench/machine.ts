import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

/** Where the figures come from, in one line: they mean nothing without it. */
export function describeMachine(): string {
  const memoryGibibytes = Math.round(totalmem() / 2 ** 30)
  const model = cpus()[0]?.model ?? 'unknown processor'
  const load = loadavg()[0]!.toFixed(1)
  return `${availableParallelism()} × ${model}, ${memoryGibibytes} GiB, ${process.platform}, Node ${process.version}, load ${load} at the end`
}
