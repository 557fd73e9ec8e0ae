import { join } from 'node:path'
import { USER_FILTER_COLUMN_NAMES } from '../../server/features/staff/list-users/columns.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { type Bench, formatNumber } from '../bench.ts'
import type { Finding } from '../finding.ts'
import { median } from '../rounds.ts'
import { openPopulation, type Population } from './population.ts'
import { ORDERS, questionsAbout } from './questions.ts'

const USERS = 1_000_000
const TRIES_OF_THE_SLOWEST = 9

/** The first page of list-users among a million users, on SQLite. */
export async function measureListUsers(bench: Bench): Promise<Finding[]> {
  return measure(bench, 'SQLite', `sqlite:${join(bench.workplace.folder, 'users.db')}`)
}

/** The same on PostgreSQL, which commits to the disk as it does in service. */
export async function measureListUsersOnPostgres(bench: Bench): Promise<Finding[]> {
  const postgres = await startPostgres({ durable: true })
  try {
    return await measure(bench, 'PostgreSQL', (await postgres.createDatabase()).url)
  } finally {
    await postgres.stop()
  }
}

async function measure(bench: Bench, engine: string, databaseUrl: string): Promise<Finding[]> {
  bench.progress(`list-users on ${engine}: making ${USERS} users`)
  const population = await openPopulation(databaseUrl, USERS)
  const findings = [await measureSlowest(engine, 'no condition', ORDERS, population)]
  for (const column of USER_FILTER_COLUMN_NAMES) {
    bench.progress(`list-users on ${engine}: ${column}`)
    findings.push(await measureSlowest(engine, column, questionsAbout(column), population))
  }
  await population.close()
  return findings
}

/** Asks every question once, and the slowest one again. */
async function measureSlowest(
  engine: string,
  about: string,
  questions: string[],
  { ask }: Population,
): Promise<Finding> {
  const times: [milliseconds: number, question: string][] = []
  for (const question of questions) times.push([await ask(question), question])
  const typical = median(times.map(([milliseconds]) => milliseconds))
  const [[, slowest] = [0, '']] = times.toSorted(([one], [other]) => other - one)
  const again: number[] = []
  for (let index = 0; index < TRIES_OF_THE_SLOWEST; index += 1) again.push(await ask(slowest))
  return {
    what: `list-users on ${engine}, ${about}`,
    ours: slowest,
    against: `median of ${questions.length} questions: ${formatNumber(typical)} ms`,
    value: median(again),
    unit: 'ms',
    bar: { atMost: 300 },
  }
}
