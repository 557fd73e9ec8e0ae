import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { pino } from 'pino'
import { buildApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { openContext } from '../server/context.ts'
import { migrate } from '../server/database/migrate.ts'
import type { App } from '../server/http/typed-app.ts'
import { createAdmin } from '../server/setup/create-admin.ts'
import { seedUsers } from '../server/users/seed-users.ts'
import { type Bench, formatNumber } from './bench.ts'
import type { Finding } from './finding.ts'
import { PASSWORD } from './population.ts'
import { median } from './rounds.ts'

const FEW = 1_000
const MANY = 1_000_000
const TRIES = 25
const ADMIN = { email: 'admin@example.com', name: 'Ada Admin', password: PASSWORD }

const DAY = 86_400_000
/** Words that names and addresses of made-up people hold, so that no two tries ask the same. */
const WORDS =
  'sorensen schneid kowal fernan lindberg zimmer banerj nakamur esposit petrov okafor virtan johans baumann hofman moreau garcia wagner suzuki almeida eriksso hernand laurent nielsen tanaka'.split(
    ' ',
  )

/** What staff ask; `index` is that of the try. */
const QUESTIONS: Record<string, (index: number) => string> = {
  'contains, a new word each time': (index) => `searchValue=${WORDS[index % WORDS.length]}`,
  'role, of staff': () => 'filterField=role&filterValue=support',
  'role, of most': () => 'filterField=role&filterValue=user',
  banned: () => 'filterField=banned&filterValue=true',
  'verified, by name': () => 'filterField=emailVerified&filterValue=true&sortBy=name',
  'not verified, latest first': () => 'filterField=emailVerified&filterValue=false&sortDirection=desc',
  'created in the last so many days': (index) =>
    `filterField=createdAt&filterOperator=gt&filterValue=${Date.now() - (index + 1) * DAY}`,
  'by address, backwards': () => 'sortBy=email&sortDirection=desc',
}

interface Population {
  ask(query: string): Promise<number>
  close(): Promise<void>
}

/** Looking for people among a million, against the same among a thousand. */
export async function measureListUsers(bench: Bench): Promise<Finding[]> {
  const few = await openPopulation(bench, FEW)
  const many = await openPopulation(bench, MANY)
  const findings: Finding[] = []
  for (const [question, queryOf] of Object.entries(QUESTIONS)) {
    const [fewMilliseconds, manyMilliseconds] = [[], []] as [number[], number[]]
    for (let index = 0; index < TRIES; index += 1) {
      fewMilliseconds.push(await few.ask(queryOf(index)))
      manyMilliseconds.push(await many.ask(queryOf(index)))
    }
    findings.push({
      what: `list-users, ${question}`,
      ours: `${formatNumber(median(manyMilliseconds))} ms of ${MANY} people`,
      against: `of ${FEW}: ${formatNumber(median(fewMilliseconds))} ms`,
      value: median(manyMilliseconds) / median(fewMilliseconds),
      unit: '×',
      bar: { atMost: 5 },
    })
  }
  await Promise.all([few.close(), many.close()])
  return findings
}

async function openPopulation({ workplace, progress }: Bench, count: number): Promise<Population> {
  progress(`list-users: making ${count} people`)
  const config = readConfig({
    DATABASE_URL: `sqlite:${join(workplace.folder, `people-${count}.db`)}`,
    SECRET: randomBytes(32).toString('base64url'),
    TRUST_PROXY: '1',
  })
  const opened = openContext(config, { now: Date.now, randomBytes, log: pino({ level: 'silent' }) })
  await migrate(opened.context.database)
  await seedUsers(opened.context, count, () => {})
  await createAdmin(opened.context, ADMIN)
  const app = await buildApp(opened)
  await app.ready()
  const authorization = `Bearer ${await signIn(app)}`
  let asked = 0
  return {
    async ask(query) {
      asked += 1
      // An address of its own each time, so that no limit gets in the way.
      const headers = { authorization, 'x-forwarded-for': `2001:db8:${asked.toString(16)}::1` }
      const start = performance.now()
      const { statusCode, body } = await app.inject({ url: `/api/auth/admin/list-users?${query}`, headers })
      if (statusCode !== 200) throw new Error(`${query}: ${body}`)
      return performance.now() - start
    },
    async close() {
      await app.close()
      await opened.close()
    },
  }
}

async function signIn(app: App): Promise<string> {
  const { email, password } = ADMIN
  const answer = await app.inject({ method: 'POST', url: '/api/auth/sign-in/email', payload: { email, password } })
  return answer.json<{ token: string }>().token
}
