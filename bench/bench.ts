import { seedBetterAuth } from './better-auth/seed.ts'
import type { LoadResult } from './load/plan.ts'
import type { MachineWatch } from './machine.ts'
import { seedAccounts } from './ours/seed.ts'
import { accountsEnvironment } from './ours/start.ts'
import type { SeededSession } from './population.ts'
import type { Workplace } from './workplace.ts'

/** Duration and number of rounds of each measurement. */
export interface Pace {
  rounds: number
  warmUpMilliseconds: number
  durationMilliseconds: number
}

export const FULL_PACE: Pace = { rounds: 5, warmUpMilliseconds: 1_000, durationMilliseconds: 4_000 }
export const QUICK_PACE: Pace = { rounds: 1, warmUpMilliseconds: 500, durationMilliseconds: 1_500 }

/** Shared by all measurements. */
export interface Bench {
  workplace: Workplace
  pace: Pace
  /** Sessions in the database of Accounts, which the first call creates. */
  accountsSessions(): Promise<SeededSession[]>
  betterAuthSessions(): Promise<SeededSession[]>
  /** Measures other work on the machine. Called while no server of the benchmark works. */
  look(): Promise<void>
  /** Prints one line of progress. */
  progress(line: string): void
}

export function createBench(workplace: Workplace, { look }: MachineWatch, pace: Pace): Bench {
  const progress = (line: string) => console.error(line)
  let accounts: Promise<SeededSession[]> | undefined
  let betterAuth: Promise<SeededSession[]> | undefined

  return {
    workplace,
    pace,
    look,
    progress,
    accountsSessions() {
      if (!accounts) progress('filling the database of Accounts')
      accounts ??= seedAccounts(accountsEnvironment(workplace, 0))
      return accounts
    },
    betterAuthSessions() {
      if (!betterAuth) progress('filling the database of Better Auth')
      betterAuth ??= seedBetterAuth(workplace)
      return betterAuth
    },
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
