import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from './answer.ts'
import { Connection } from './connection.ts'
import { LoadCounter } from './load-counter.ts'
import type { LoadPlan, LoadResult } from './plan.ts'

const RECONNECT_MILLISECONDS = 100

interface EncodedRequest {
  bytes: Buffer
  expectedStatus: number
  expectedText: string
}

/** Runs a plan once. */
export class Load {
  private plan: LoadPlan
  private requests: EncodedRequest[]
  private counter: LoadCounter
  private sent = 0
  private pending = new Map<Connection, { request: EncodedRequest; dueAt: number }>()
  private connections = new Set<Connection>()
  private idle: Connection[] = []
  /** Due times of requests that wait for a free connection, because their latency includes this wait. */
  private overdue: number[] = []

  constructor(plan: LoadPlan) {
    this.plan = plan
    this.requests = plan.requests.map((request) => ({ ...request, bytes: Buffer.from(request.bytes) }))
    this.counter = new LoadCounter(plan.serverProcessId)
  }

  async run(): Promise<LoadResult> {
    for (let count = 0; count < this.plan.connections; count += 1) this.connect()
    const clock = this.plan.requestsPerSecond === undefined ? undefined : this.startClock(this.plan.requestsPerSecond)
    await pause(this.plan.warmUpMilliseconds)
    this.counter.begin()
    await pause(this.plan.durationMilliseconds)
    const now = performance.now()
    if (clock) for (const dueAt of this.unanswered()) this.counter.waited(now - dueAt)
    const result = { ...this.counter.end(), sent: this.sent }
    clearInterval(clock)
    for (const connection of this.connections) connection.close()
    return result
  }

  private connect(): void {
    const connection = new Connection(this.plan.port, {
      onReady: (ready) => this.free(ready),
      onAnswer: (answered, answer) => this.take(answered, answer),
      onBroken: (broken, reason) => {
        this.counter.other(reason)
        this.pending.delete(broken)
        this.connections.delete(broken)
        this.idle = this.idle.filter((other) => other !== broken)
        setTimeout(() => this.connect(), RECONNECT_MILLISECONDS).unref()
      },
    })
    this.connections.add(connection)
  }

  private startClock(requestsPerSecond: number): NodeJS.Timeout {
    const start = performance.now()
    let due = 0
    const dueTime = () => start + (due * 1000) / requestsPerSecond
    return setInterval(() => {
      const now = performance.now()
      // A late tick does not make its requests due later.
      for (let dueAt = dueTime(); dueAt < now; dueAt = dueTime()) {
        due += 1
        const connection = this.idle.pop()
        if (connection) this.send(connection, dueAt)
        else this.overdue.push(dueAt)
      }
    }, 1)
  }

  private unanswered(): number[] {
    return [...this.overdue, ...[...this.pending.values()].map(({ dueAt }) => dueAt)]
  }

  private free(connection: Connection): void {
    const dueAt = this.plan.requestsPerSecond === undefined ? performance.now() : this.overdue.shift()
    if (dueAt === undefined) this.idle.push(connection)
    else this.send(connection, dueAt)
  }

  private send(connection: Connection, dueAt: number): void {
    const request = this.requests[this.sent % this.requests.length]!
    this.sent += 1
    this.pending.set(connection, { request, dueAt })
    connection.send(request.bytes)
  }

  private take(connection: Connection, { status, body }: Answer): void {
    const { request, dueAt } = this.pending.get(connection)!
    this.pending.delete(connection)
    const isExpected = status === request.expectedStatus && body.includes(request.expectedText)
    if (isExpected) this.counter.expected(performance.now() - dueAt)
    else this.counter.other(status === request.expectedStatus ? 'wrong content' : `status ${status}`)
    const rest = isExpected ? 0 : (this.plan.restAfterRefusalMilliseconds ?? 0)
    // A random pause, because requests that are refused together would otherwise stay synchronous.
    const jittered = rest * (1 + Math.random())
    if (rest > 0) setTimeout(() => this.connections.has(connection) && this.free(connection), jittered).unref()
    else this.free(connection)
  }
}
