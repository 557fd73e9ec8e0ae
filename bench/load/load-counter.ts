import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { cpuMilliseconds } from './cpu-time.ts'
import type { LoadResult } from './plan.ts'

const NANOSECONDS_PER_MILLISECOND = 1e6

/** Counts the answers between `begin` and `end`. */
export class LoadCounter {
  private serverProcessId: number | undefined
  private latencies: RecordableHistogram = createHistogram()
  private answers = 0
  private others: Record<string, number> = {}
  private counting = false
  private start = { time: 0, serverCpu: 0, ownCpu: process.cpuUsage() }

  constructor(serverProcessId: number | undefined) {
    this.serverProcessId = serverProcessId
  }

  begin(): void {
    this.start = {
      time: performance.now(),
      serverCpu: cpuMilliseconds(this.serverProcessId),
      ownCpu: process.cpuUsage(),
    }
    this.counting = true
  }

  expected(latencyMilliseconds: number): void {
    if (!this.counting) return
    this.answers += 1
    this.waited(latencyMilliseconds)
  }

  /** Records the wait of an unanswered request, because without it the longest waits are missing. */
  waited(milliseconds: number): void {
    if (this.counting) this.latencies.record(Math.max(1, Math.round(milliseconds * NANOSECONDS_PER_MILLISECOND)))
  }

  other(what: string): void {
    if (this.counting) this.others[what] = (this.others[what] ?? 0) + 1
  }

  end(): Omit<LoadResult, 'sent'> {
    this.counting = false
    const elapsed = performance.now() - this.start.time
    const { user, system } = process.cpuUsage(this.start.ownCpu)
    const serverCpu = cpuMilliseconds(this.serverProcessId) - this.start.serverCpu
    const { answers } = this
    const all = Object.values(this.others).reduce((sum, count) => sum + count, answers)
    const percentile = (share: number) => this.latencies.percentile(share) / NANOSECONDS_PER_MILLISECOND
    return {
      answers,
      answersPerSecond: (answers * 1000) / elapsed,
      others: this.others,
      latencyMilliseconds: {
        p50: percentile(50),
        p99: percentile(99),
        maximum: this.latencies.max / NANOSECONDS_PER_MILLISECOND,
      },
      serverCpuMicrosecondsPerAnswer: all === 0 ? 0 : (serverCpu * 1000) / all,
      generatorCores: (user + system) / 1000 / elapsed,
    }
  }
}
