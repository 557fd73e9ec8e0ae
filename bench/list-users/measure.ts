import { join } from 'node:path'
import { USER_COLUMNS, type UserColumn } from '../../server/features/staff/list-users/columns.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { type Bench, formatNumber } from '../bench.ts'
import type { Finding } from '../finding.ts'
import { median } from '../rounds.ts'
import { openPopulation, type Population } from './population.ts'
import { QUESTIONS, type Question, questionsAbout } from './questions.ts'

const FEW = 1_000
const MANY = 1_000_000
const TRIES = 25
const TRIES_OF_AN_OPERATOR = 9

/** Looking for people among a million, against the same among a thousand, on SQLite. */
export async function measureListUsers(bench: Bench): Promise<Finding[]> {
  return measure(bench, 'SQLite', (count) => `sqlite:${join(bench.workplace.folder, `people-${count}.db`)}`)
}

/** The same on PostgreSQL, which commits to the disk as it does in service. */
export async function measureListUsersOnPostgres(bench: Bench): Promise<Finding[]> {
  const postgres = await startPostgres({ durable: true })
  try {
    const [few, many] = [await postgres.createDatabase(), await postgres.createDatabase()]
    return await measure(bench, 'PostgreSQL', (count) => (count === FEW ? few : many).url)
  } finally {
    await postgres.stop()
  }
}

async function measure(bench: Bench, engine: string, urlOf: (count: number) => string): Promise<Finding[]> {
  const [few, many] = [await open(FEW), await open(MANY)]
  const findings: Finding[] = []
  for (const [name, question] of Object.entries(QUESTIONS)) {
    findings.push(toFinding(engine, name, await compare(few, many, question, TRIES)))
  }
  for (const column of USER_COLUMNS) findings.push(toFinding(engine, ...(await findWorst(few, many, column))))
  await Promise.all([few.close(), many.close()])
  return findings

  async function open(count: number): Promise<Population> {
    bench.progress(`list-users on ${engine}: making ${count} people`)
    return openPopulation(urlOf(count), count)
  }
}

/** Medians, in milliseconds. */
interface Comparison {
  few: number
  many: number
}

async function compare(few: Population, many: Population, question: Question, tries: number): Promise<Comparison> {
  const [ofFew, ofMany] = [[], []] as [number[], number[]]
  for (let index = 0; index < tries; index += 1) {
    ofFew.push(await few.ask(question(index)))
    ofMany.push(await many.ask(question(index)))
  }
  return { few: median(ofFew), many: median(ofMany) }
}

const ratioOf = ({ few, many }: Comparison) => many / few

/** Of every operator on a column, the one that a million people slow down most. */
async function findWorst(few: Population, many: Population, column: UserColumn): Promise<[string, Comparison]> {
  const results: [string, Comparison][] = []
  for (const [operator, question] of Object.entries(questionsAbout(column))) {
    results.push([operator, await compare(few, many, question, TRIES_OF_AN_OPERATOR)])
  }
  const [[operator, worst] = ['none', { few: 0, many: 0 }]] = results.toSorted(
    ([, one], [, other]) => ratioOf(other) - ratioOf(one),
  )
  return [`${column}, slowest operator: ${operator}`, worst]
}

function toFinding(engine: string, question: string, comparison: Comparison): Finding {
  return {
    what: `list-users on ${engine}, ${question}`,
    ours: `${formatNumber(comparison.many)} ms of ${MANY} people`,
    against: `of ${FEW}: ${formatNumber(comparison.few)} ms`,
    value: ratioOf(comparison),
    unit: '×',
    bar: { atMost: 5 },
  }
}
