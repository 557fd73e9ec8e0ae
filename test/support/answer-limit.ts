import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/** While the database is down, a request is answered within this time. */
const ANSWER_MILLISECONDS = 2_000
/** After an outage, a request that is sent later than this succeeds. */
const RECOVERY_MILLISECONDS = 5_000
const PAUSE_MILLISECONDS = 50

/**
 * Measures requests against the limits of the service. A busy machine delays requests. Therefore the slowest concurrent
 * answer of /healthz, which needs no database, is added to each limit.
 */
export class AnswerLimit {
  slowestMilliseconds = 0
  private isOver = false
  private isRecovering = false
  private probes: { startedAt: number; endedAt: number }[] = []
  private loops: Promise<void>[]

  constructor(baseUrls: string[]) {
    this.loops = baseUrls.map((baseUrl) => this.probe(baseUrl))
  }

  async stop(): Promise<void> {
    this.isOver = true
    await Promise.all(this.loops)
  }

  /**
   * Asserts that a request is answered within 2 s, or within 5 s if it succeeds during the recovery. On a busy machine
   * new connections and the password hash may take a second each, and the hash does not delay /healthz.
   * @returns the answer
   */
  async inTime<Answer extends { status: number }>(what: string, request: () => Promise<Answer>): Promise<Answer> {
    const startedAt = performance.now()
    const answer = await request()
    const milliseconds = performance.now() - startedAt
    this.slowestMilliseconds = Math.max(this.slowestMilliseconds, milliseconds)
    const delayMilliseconds = this.delaySince(startedAt)
    const isRecovered = this.isRecovering && answer.status === 200
    assert.ok(
      milliseconds < (isRecovered ? RECOVERY_MILLISECONDS : ANSWER_MILLISECONDS) + delayMilliseconds,
      `${what}: ${answer.status} after ${milliseconds} ms, where /healthz took ${delayMilliseconds} ms`,
    )
    return answer
  }

  /**
   * Repeats requests until all succeed.
   * @param rounds after the first success, which must all succeed too
   * @returns the milliseconds from the call until the first successful requests were sent
   */
  async recovery(isHealthy: () => Promise<boolean>, rounds = 0): Promise<number> {
    this.isRecovering = true
    const sentAfter = await this.firstSuccess(isHealthy)
    for (let round = 0; round < rounds; round += 1) assert.ok(await isHealthy(), 'the service stays healthy')
    this.isRecovering = false
    return sentAfter
  }

  private async firstSuccess(isHealthy: () => Promise<boolean>): Promise<number> {
    const startedAt = performance.now()
    for (;;) {
      const sentAfter = performance.now() - startedAt
      if (await isHealthy()) return sentAfter
      const delayMilliseconds = this.delaySince(startedAt)
      assert.ok(
        sentAfter < RECOVERY_MILLISECONDS + delayMilliseconds,
        `requests fail ${sentAfter} ms after the outage, where /healthz took ${delayMilliseconds} ms`,
      )
    }
  }

  private delaySince(startedAt: number): number {
    const concurrent = this.probes.filter(({ endedAt }) => endedAt > startedAt)
    const now = performance.now()
    return Math.max(0, ...concurrent.map((probe) => Math.min(probe.endedAt, now) - probe.startedAt))
  }

  private async probe(baseUrl: string): Promise<void> {
    while (!this.isOver) {
      const probe = { startedAt: performance.now(), endedAt: Number.POSITIVE_INFINITY }
      this.probes.push(probe)
      const { status } = await fetch(new URL('/healthz', baseUrl))
      assert.equal(status, 200)
      probe.endedAt = performance.now()
      await pause(PAUSE_MILLISECONDS)
    }
  }
}
