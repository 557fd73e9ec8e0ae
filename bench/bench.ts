import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../test/support/postgres.ts'
import { seedBetterAuth } from './better-auth/seed.ts'
import type { LoadResult } from './load/plan.ts'
import type { MachineWatch } from './machine.ts'
import { seedAccounts } from './ours/seed.ts'
import type { SeededSession } from './population.ts'
import type { ScaleOptions } from './scale/options.ts'
import type { Workplace } from './workplace.ts'

/** Duration and number of rounds of each measurement. */
export interface Pace {
  rounds: number
  /** The answers of each server before the first round, because V8 compiles by the number of calls. */
  warmUpAnswers: number
  warmUpMilliseconds: number
  durationMilliseconds: number
}

export const FULL_PACE: Pace = {
  rounds: 5,
  warmUpAnswers: 1_000,
  warmUpMilliseconds: 1_000,
  durationMilliseconds: 4_000,
}
export const QUICK_PACE: Pace = { rounds: 1, warmUpAnswers: 0, warmUpMilliseconds: 500, durationMilliseconds: 1_500 }

export type Engine = 'SQLite' | 'PostgreSQL'

/**
 * Enough connections to keep a server busy, and few enough that the generator is not the limit. On PostgreSQL each
 * request waits for round trips, so more of them are in flight.
 */
export const CONNECTIONS: Record<Engine, number> = { SQLite: 16, PostgreSQL: 64 }

export interface SeededDatabase {
  url: string
  sessions: SeededSession[]
}

/** Shared by all measurements. */
export interface Bench {
  workplace: Workplace
  pace: Pace
  scale: ScaleOptions
  /** The database of Accounts, which the first call fills. */
  accountsDatabase(engine: Engine): Promise<SeededDatabase>
  betterAuthDatabase(engine: Engine): Promise<SeededDatabase>
  /** @returns the URL of a new and empty database */
  createDatabase(engine: Engine): Promise<string>
  /** Measures other work on the machine. Called while no server of the benchmark works. */
  measureOtherWork(): Promise<void>
  /** The machine and its other work, in one line. */
  describeMachine(): string
  /** Prints one line of progress. */
  progress(line: string): void
}

export function createBench(
  workplace: Workplace,
  { measureOtherWork, describe }: MachineWatch,
  pace: Pace,
  scale: ScaleOptions,
): Bench {
  const progress = (line: string) => console.error(line)
  const databases = new Map<string, Promise<SeededDatabase>>()
  let postgres: Promise<Postgres> | undefined

  async function createDatabase(engine: Engine): Promise<string> {
    if (engine === 'SQLite') return `sqlite:${join(workplace.folder, `${randomUUID()}.db`)}`
    // Commits reach the disk, as they do in service.
    postgres ??= startPostgres({ durable: true })
    return (await (await postgres).createDatabase()).url
  }

  function fillOnce(
    product: string,
    engine: Engine,
    seed: (url: string) => Promise<SeededSession[]>,
  ): Promise<SeededDatabase> {
    return databases.getOrInsertComputed(`${product} on ${engine}`, async (name) => {
      progress(`filling the database of ${name}`)
      const url = await createDatabase(engine)
      return { url, sessions: await seed(url) }
    })
  }

  return {
    workplace,
    pace,
    scale,
    measureOtherWork,
    describeMachine: describe,
    progress,
    accountsDatabase: (engine) => fillOnce('Accounts', engine, seedAccounts),
    createDatabase,
    betterAuthDatabase: (engine) => fillOnce('Better Auth', engine, seedBetterAuth),
  }
}

export function describeLoad({ answersPerSecond, serverCpuMicrosecondsPerAnswer, generatorCores }: LoadResult): string {
  const rate = `${formatNumber(answersPerSecond)}/s`
  const cpu = `${formatNumber(serverCpuMicrosecondsPerAnswer)} µs of CPU each`
  return `${rate}, ${cpu}, generator ${generatorCores.toFixed(2)} cores`
}

/** Three digits, because the measurements are not more precise. */
export function formatNumber(value: number): string {
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 3) })
}
