import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { isScryptHash, UNMATCHED_SCRYPT_HASH } from './scrypt-hash.ts'

/** OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, 2 passes, 1 lane. */
export const ARGON2_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const

/** With a second password, the thread stays busy while the main thread is blocked, for example by a SQLite commit. */
const PASSWORDS_PER_WORKER = 2

/** Flood protection: with 20 ms for a hash, a full queue takes most of a second. */
const QUEUE_LENGTH_PER_WORKER = 32

export interface PasswordHasher {
  /** @throws TooManyWaiting when the queue is full */
  hash(password: string): Promise<string>
  /** Takes the same time without a hash, so that the time reveals no email address. @throws TooManyWaiting */
  verify(passwordHash: string | undefined, password: string): Promise<boolean>
  /**
   * Takes the time of the algorithm that `verify` did not use: scrypt for an argon2id hash or none, argon2id for
   * scrypt. Waits also in a full queue: an error here would release the budgets that a wrong password has used.
   */
  spendOtherAlgorithm(passwordHash: string | undefined, password: string): Promise<void>
  /** Refuses before other expensive work. @throws TooManyWaiting */
  assertNotBusy(): void
  /** Whether the hash has other parameters than ARGON2_PARAMETERS, or is an imported scrypt hash. */
  needsRenewal(passwordHash: string): boolean
  close(): Promise<void>
}

/** Too many passwords wait to be hashed, or too many guesses of one secret wait for their turn. */
export class TooManyWaiting extends Error {
  override name = 'TooManyWaiting'
  constructor() {
    super('Too many passwords or codes are waiting')
  }
}

export type PasswordJob =
  | { kind: 'hash'; password: string }
  | { kind: 'verify'; passwordHash: string; password: string }
type Outcome = { value: string | boolean } | { error: Error }

interface Waiting {
  job: PasswordJob
  resolve: (value: string | boolean) => void
  reject: (error: Error) => void
}

const HASH_PREFIX = `$argon2id$v=19$m=${ARGON2_PARAMETERS.memoryCost},t=${ARGON2_PARAMETERS.timeCost},p=${ARGON2_PARAMETERS.parallelism}$`
/** No password has this hash, whose digest is all zeros. */
const UNMATCHED_HASH = `${HASH_PREFIX}${'A'.repeat(22)}$${'A'.repeat(43)}`

/** At most one thread for each core, shared by all processes. */
export function threadsOf(processCount: number, coreCount = availableParallelism()): number {
  return Math.max(1, Math.floor(coreCount / processCount))
}

/** Low priority, so that a flood of sign-ins does not slow down other requests. Threads start at first use. */
export function createPasswordHasher(
  workerCount: number,
  chargeToRequest: <T>(work: () => Promise<T>) => Promise<T> = (work) => work(),
): PasswordHasher {
  const workers = new Map<Worker, Waiting[]>()
  const queue: Waiting[] = []

  function assertNotBusy(): void {
    if (queue.length >= QUEUE_LENGTH_PER_WORKER * workerCount) throw new TooManyWaiting()
  }

  async function run(job: PasswordJob): Promise<string | boolean> {
    assertNotBusy()
    return enqueue(job)
  }

  function enqueue(job: PasswordJob): Promise<string | boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<string | boolean>()
    queue.push({ job, resolve, reject })
    startNext()
    return chargeToRequest(() => promise)
  }

  function startNext(): void {
    const worker = queue.length > 0 ? chooseWorker() : undefined
    const waiting = worker && queue.shift()
    if (!waiting) return
    workers.get(worker)?.push(waiting)
    worker.ref()
    worker.postMessage(waiting.job)
  }

  function chooseWorker(): Worker | undefined {
    const [least] = [...workers].toSorted(([, one], [, other]) => one.length - other.length)
    const started = workers.size < workerCount && (least === undefined || least[1].length > 0) && startWorker()
    if (started) return started
    return least && least[1].length < PASSWORDS_PER_WORKER ? least[0] : undefined
  }

  /** @returns undefined when the operating system has no thread left */
  function startWorker(): Worker | undefined {
    const worker = createWorker()
    if (!worker) return undefined
    workers.set(worker, [])
    worker.on('message', (message: Outcome | object) => {
      // `node --watch` sends messages of its own from worker threads.
      if ('value' in message || 'error' in message) settle(worker, message)
    })
    worker.on('error', (error: Error) => replace(worker, error))
    return worker
  }

  function createWorker(): Worker | undefined {
    try {
      return new Worker(new URL('./password-worker.ts', import.meta.url))
    } catch (error) {
      // Without a thread, the waiting passwords would wait for ever. With one, it hashes all of them.
      if (workers.size === 0) for (const { reject } of queue.splice(0)) reject(error as Error)
      return undefined
    }
  }

  /** A worker answers in the order of its jobs. */
  function settle(worker: Worker, outcome: Outcome): void {
    const passwords = workers.get(worker) ?? []
    const waiting = passwords.shift()
    if (passwords.length === 0) worker.unref()
    if ('value' in outcome) waiting?.resolve(outcome.value)
    else waiting?.reject(outcome.error)
    startNext()
  }

  function replace(worker: Worker, error: Error): void {
    const passwords = workers.get(worker) ?? []
    workers.delete(worker)
    for (const { reject } of passwords) reject(error)
    startNext()
  }

  return {
    assertNotBusy,
    hash: async (password) => (await run({ kind: 'hash', password })) as string,
    async verify(passwordHash, password) {
      const matches = await run({ kind: 'verify', passwordHash: passwordHash ?? UNMATCHED_HASH, password })
      return matches === true && passwordHash !== undefined
    },
    async spendOtherAlgorithm(passwordHash, password) {
      const isScrypt = passwordHash !== undefined && isScryptHash(passwordHash)
      await enqueue({ kind: 'verify', passwordHash: isScrypt ? UNMATCHED_HASH : UNMATCHED_SCRYPT_HASH, password })
    },
    needsRenewal: (passwordHash) => !passwordHash.startsWith(HASH_PREFIX),
    async close() {
      await Promise.all([...workers.keys()].map((worker) => worker.terminate()))
    },
  }
}
