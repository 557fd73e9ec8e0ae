import cluster, { type Worker } from 'node:cluster'
import type { Runtime } from '../platform/context.ts'
import { CommandError } from './command.ts'
import { STOP_SIGNALS } from './stop-signals.ts'

const HEARTBEAT = 'heartbeat'
/** Counts turns of the own timer, so that a sleeping or overloaded machine does not count as frozen workers. */
const SILENT_TURNS_MAXIMUM = 10
const FAILED_STARTS_MAXIMUM = 5

export interface WorkerWaits {
  heartbeatMilliseconds: number
  startMilliseconds: number
  /** The pause before a failed start is repeated. It doubles with each failure. */
  firstPauseMilliseconds: number
  /** Longer than a stop of one process: requests in flight, handlers, emails, and what is saved at the end. */
  stopMilliseconds: number
}

export const WORKER_WAITS: WorkerWaits = {
  heartbeatMilliseconds: 1_000,
  startMilliseconds: 60_000,
  firstPauseMilliseconds: 250,
  stopMilliseconds: 30_000,
}

/** In a worker: shows the first process that the event loop is not blocked. */
export function sendHeartbeats({ heartbeatMilliseconds }: WorkerWaits): void {
  setInterval(() => {
    if (process.connected) process.send?.(HEARTBEAT)
  }, heartbeatMilliseconds).unref()
}

/** Ends after a stop signal. @throws CommandError when several workers in a row failed to start */
export function runWorkers(count: number, { log }: Pick<Runtime, 'log'>, waits: WorkerWaits): Promise<void> {
  return new Supervisor(count, log, waits).run()
}

interface Watched {
  worker: Worker
  hasStarted: boolean
  round: number
  /** Turns since the fork, or since the last heartbeat. */
  turns: number
}

class Supervisor {
  private count: number
  private log: Runtime['log']
  private waits: WorkerWaits
  private watched = new Map<number, Watched>()
  private pauses = new Set<NodeJS.Timeout>()
  private ended = Promise.withResolvers<void>()
  private isStopping = false
  /** Forks for one reason are a round and one failed start: a short cause must not end a service of many workers. */
  private round = 0
  private failedStarts = 0

  constructor(count: number, log: Runtime['log'], waits: WorkerWaits) {
    this.count = count
    this.log = log
    this.waits = waits
  }

  run(): Promise<void> {
    // JSON would make null of a gauge that is not a number.
    cluster.setupPrimary({ serialization: 'advanced' })
    cluster.on('listening', ({ id }) => this.recordStart(id))
    cluster.on('message', ({ id }, message) => {
      if (message === HEARTBEAT) this.recordHeartbeat(id)
    })
    cluster.on('exit', ({ id }, code, signal) => this.handleExit(id, code, signal))
    for (const signal of STOP_SIGNALS) process.on(signal, () => this.stop(signal))
    setInterval(() => this.killFrozen(), this.waits.heartbeatMilliseconds).unref()
    const { round } = this
    for (let index = 0; index < this.count; index += 1) this.fork(round)
    return this.ended.promise
  }

  private fork(round: number): void {
    let worker: Worker
    try {
      worker = cluster.fork()
    } catch (error) {
      this.handleFailedFork(round, error)
      return
    }
    this.watched.set(worker.id, { worker, hasStarted: false, round, turns: 0 })
    // A worker without a process emits no exit event. After the error of a running worker, an exit event follows.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined && this.watched.delete(worker.id)) this.handleFailedFork(round, error)
    })
  }

  /** A fork fails when the system has no free process or memory, for example. */
  private handleFailedFork(round: number, error: unknown): void {
    this.log.error({ err: error }, 'a worker process could not be started')
    if (this.isStopping) this.endWhenAlone()
    else this.handleFailedStart(round)
  }

  private handleFailedStart(round: number): void {
    if (round === this.round) {
      this.round += 1
      this.failedStarts += 1
    }
    if (this.failedStarts < FAILED_STARTS_MAXIMUM) this.forkLater()
    else this.giveUp()
  }

  private recordStart(id: number): void {
    const watched = this.watched.get(id)
    if (!watched) return
    watched.hasStarted = true
    watched.turns = 0
    this.failedStarts = 0
  }

  private recordHeartbeat(id: number): void {
    const watched = this.watched.get(id)
    if (watched?.hasStarted) watched.turns = 0
  }

  private killFrozen(): void {
    const startTurnsMaximum = this.waits.startMilliseconds / this.waits.heartbeatMilliseconds
    for (const [workerId, watched] of this.watched) {
      watched.turns += 1
      if (watched.turns <= (watched.hasStarted ? SILENT_TURNS_MAXIMUM : startTurnsMaximum)) continue
      if (!this.isStopping) this.log.error({ workerId }, 'a worker process does not answer and is killed')
      watched.worker.process.kill('SIGKILL')
    }
  }

  private handleExit(workerId: number, code: number | null, signal: string | null): void {
    const { hasStarted, round } = this.watched.get(workerId) ?? { hasStarted: false, round: this.round }
    this.watched.delete(workerId)
    if (this.isStopping) {
      this.endWhenAlone()
    } else if (hasStarted) {
      this.log.error({ workerId, code, signal }, 'a worker process ended and is replaced')
      this.fork(this.round)
    } else {
      this.log.error({ workerId, code, signal }, 'a worker process did not come up')
      this.handleFailedStart(round)
    }
  }

  private giveUp(): void {
    const message = `${FAILED_STARTS_MAXIMUM} worker processes in a row did not come up: see the lines above.`
    this.ended.reject(new CommandError(message))
    this.stop('SIGTERM')
  }

  private forkLater(): void {
    const milliseconds = this.waits.firstPauseMilliseconds * 2 ** Math.max(0, this.failedStarts - 1)
    const { round } = this
    const pause = setTimeout(() => {
      this.pauses.delete(pause)
      this.fork(round)
    }, milliseconds)
    this.pauses.add(pause)
  }

  private stop(signal: NodeJS.Signals): void {
    this.isStopping = true
    for (const pause of this.pauses) clearTimeout(pause)
    // A worker that has not started has nothing in flight.
    for (const { worker, hasStarted } of this.watched.values()) worker.process.kill(hasStarted ? signal : 'SIGKILL')
    setTimeout(() => {
      for (const { worker } of this.watched.values()) worker.process.kill('SIGKILL')
    }, this.waits.stopMilliseconds).unref()
    this.endWhenAlone()
  }

  private endWhenAlone(): void {
    if (this.watched.size === 0) this.ended.resolve()
  }
}
