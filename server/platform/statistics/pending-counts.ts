import type { FastifyBaseLogger } from 'fastify'
import type { Kysely } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import type { Tables } from '../database/tables.ts'
import { withoutTimeBudget } from '../database/time-budget.ts'
import { MINUTE_MILLISECONDS } from '../time/time-units.ts'
import { addCounts, type Count } from './store.ts'

const FLUSH_MILLISECONDS = MINUTE_MILLISECONDS

/** Counters of events that leave no row, such as tokens. A killed process loses those of its last minute. */
export interface PendingCounts {
  add(counts: Omit<Count, 'count'>[]): void
  /** @throws the error of the database, after which the counts stay in memory */
  flush(): Promise<void>
  close(): Promise<void>
}

export function createPendingCounts({
  database,
  log,
}: {
  database: Kysely<Tables>
  log: FastifyBaseLogger
}): PendingCounts {
  let pending = new Map<string, Count>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  function add(counts: Omit<Count, 'count'>[], amount = 1): void {
    for (const count of counts) {
      const key = `${count.name} ${count.hour} ${count.detail}`
      pending.getOrInsertComputed(key, () => ({ ...count, count: 0 })).count += amount
    }
    timer ??= setTimeout(() => withoutTimeBudget(() => flush().catch(warn)), FLUSH_MILLISECONDS).unref()
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    flushing = flushing.catch(() => {}).then(flushAll)
    return flushing
  }

  async function flushAll(): Promise<void> {
    // Each organization with a token in this minute is a count, and a statement has a limit.
    const chunks = chunksOf([...pending.values()])
    pending = new Map()
    for (const [index, chunk] of chunks.entries()) {
      try {
        await addCounts(database, chunk)
      } catch (error) {
        for (const count of chunks.slice(index).flat()) add([count], count.count)
        throw error
      }
    }
  }

  const warn = (error: unknown) => log.warn({ err: error }, 'counts could not be saved; they are tried again')
  return {
    add: (counts) => add(counts),
    flush,
    async close() {
      await flush().catch((error) => log.error({ err: error }, 'counts were lost'))
      clearTimeout(timer)
    },
  }
}
