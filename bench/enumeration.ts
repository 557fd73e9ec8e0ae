import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { pino } from 'pino'
import { openContext } from '../server/core/context.ts'
import { readConfig } from '../server/platform/config/config.ts'
import type { Tables } from '../server/platform/database/tables.ts'
import { type Bench, formatNumber } from './bench.ts'
import type { Finding } from './finding.ts'
import { accountsEnvironment, startAccounts } from './ours/start.ts'
import { sample } from './population.ts'
import { median } from './rounds.ts'
import type { RunningServer } from './server-process.ts'

const GUESSES = 1_000
const KINDS = ['known', 'unknown', 'passkey only', 'banned'] as const
type Kind = (typeof KINDS)[number]

/** Measures whether the response time of a wrong password depends on the email address (CVE-2024-39329). */
export async function measureEnumeration(bench: Bench): Promise<Finding[]> {
  const database = await bench.accountsDatabase('SQLite')
  const sessions = sample(database.sessions, GUESSES)
  const kindOf = (index: number): Kind => KINDS[index % KINDS.length] ?? 'known'
  const idsOf = (kind: Kind) => sessions.filter((_session, index) => kindOf(index) === kind).map(({ userId }) => userId)
  await changeUsers(database.url, async (kysely) => {
    await kysely.deleteFrom('accounts').where('userId', 'in', idsOf('passkey only')).execute()
    await kysely.updateTable('users').set({ banned: 1 }).where('id', 'in', idsOf('banned')).execute()
  })
  const server = await startAccounts(bench.workplace, database.url)
  const milliseconds: Record<Kind, number[]> = { known: [], unknown: [], 'passkey only': [], banned: [] }
  for (const [index, { email }] of sessions.entries()) {
    const kind = kindOf(index)
    milliseconds[kind].push(await timeOfGuess(server, index, kind === 'unknown' ? `unknown-${email}` : email))
  }
  await server.stop()
  const known = median(milliseconds.known)
  return KINDS.slice(1).map((kind) => {
    const other = median(milliseconds[kind])
    bench.progress(`a wrong password, ${kind}: ${formatNumber(other)} ms`)
    return {
      what: `a wrong password, ${kind} address`,
      ours: `${formatNumber(other)} ms`,
      against: `known address: ${formatNumber(known)} ms`,
      value: Math.max(other / known, known / other),
      unit: '×',
      bar: { atMost: 1.05 },
    }
  })
}

async function changeUsers(url: string, change: (database: Kysely<Tables>) => Promise<void>): Promise<void> {
  const runtime = { now: Date.now, randomBytes, log: pino({ level: 'silent' }) }
  const { context, close } = openContext(readConfig(accountsEnvironment(url, 0)), runtime)
  await change(context.database)
  await close()
}

async function timeOfGuess({ port }: RunningServer, index: number, email: string): Promise<number> {
  const startedAt = performance.now()
  const answer = await fetch(`http://localhost:${port}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.0.${index >> 8}.${index & 255}` },
    body: JSON.stringify({ email, password: 'not the password of any user' }),
  })
  await answer.text()
  if (answer.status !== 401) throw new Error(`A wrong password was answered with ${answer.status}`)
  return performance.now() - startedAt
}
