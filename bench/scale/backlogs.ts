import { sql } from 'kysely'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { recordEvents } from '../../server/core/audit/record-event.ts'
import { countUnlinked } from '../../server/core/audit/store.ts'
import type { Context } from '../../server/core/context.ts'
import { listColumns } from '../../server/platform/database/list-columns.ts'
import { prepareEmail, sendEmails } from '../../server/platform/mail/outbox.ts'
import { idOf } from './names.ts'

/** Work that waits for a background job. */
export interface Backlog {
  name: string
  create(context: Context, users: number): Promise<void>
  countWaiting(context: Context): Promise<number>
}

const EVENTS = 100_000
const EMAILS = 100_000
const ROWS_PER_INSERT = 500

/** The position of the digit that numbers the sessions of a user. */
const LAST_DIGIT = idOf('ses', 0).length

/** One session of each user. */
export const expiredSessions: Backlog = {
  name: 'expired sessions',
  async create({ config, database, now }) {
    await insertMissingSessions(database)
    await sql`update sessions set "expiresAt" = ${now() - 1}
      where id like 'ses_000000%' and substr(id, ${LAST_DIGIT}) in ('4', '9')`.execute(database)
    // No process has a cache now. Maintenance would purge the rows before the sessions.
    if (config.database.engine === 'postgres') await sql`delete from "rowChanges"`.execute(database)
  },
  countWaiting: ({ database, now }) =>
    count(sql<{ count: number }>`select count(*) as "count" from sessions where "expiresAt" <= ${now()}`, database),
}

/** Copies other sessions of the same users, because an earlier run on the same database has purged the expired ones. */
async function insertMissingSessions(database: Context['database']): Promise<void> {
  const names = (await listColumns(database, 'sessions')).filter((name) => name !== 'id' && name !== 'tokenHash')
  const columns = sql.join(names.map((name) => sql.ref(name)))
  await sql`insert into sessions (id, "tokenHash", ${columns})
    select substr(id, 1, ${LAST_DIGIT - 1}) || case substr(id, ${LAST_DIGIT}) when '2' then '4' else '9' end,
      'of another run ' || id, ${columns}
    from sessions where id like 'ses_000000%' and substr(id, ${LAST_DIGIT}) in ('2', '7') on conflict do nothing`.execute(
    database,
  )
}

const unlinkedEvents: Backlog = {
  name: 'audit events to link',
  async create(context, users) {
    for (let done = 0; done < EVENTS; done += ROWS_PER_INSERT) {
      const events = Array.from({ length: ROWS_PER_INSERT }, (_nothing, index) => ({
        action: 'user.updated' as const,
        subjectId: idOf('usr', 1 + ((done + index) % users)),
      }))
      await context.database
        .transaction()
        .execute((transaction) => recordEvents(transaction, context, OPERATOR, events))
    }
  },
  countWaiting: ({ database }) => countUnlinked(database),
}

const unsentEmails: Backlog = {
  name: 'emails to send',
  async create(context) {
    const text = { subject: 'News', heading: 'News', paragraphs: ['One line of text.'], footnote: 'From Accounts.' }
    const email = prepareEmail(context, { kind: 'test email', recipient: '', ...text })
    for (let done = 0; done < EMAILS; done += ROWS_PER_INSERT) {
      const emails = Array.from({ length: ROWS_PER_INSERT }, (_nothing, index) => ({
        ...email,
        recipient: `recipient-${done + index}@people.example`,
      }))
      await context.database.transaction().execute((transaction) => sendEmails({ transaction, context }, emails))
    }
  },
  countWaiting: ({ database }) =>
    count(
      sql<{ count: number }>`select count(*) as "count" from outbox where "sentAt" is null and "failedAt" is null`,
      database,
    ),
}

export const BACKLOGS: Backlog[] = [expiredSessions, unlinkedEvents, unsentEmails]

async function count(query: ReturnType<typeof sql<{ count: number }>>, database: Context['database']): Promise<number> {
  const { rows } = await query.execute(database)
  return rows[0]?.count ?? 0
}
