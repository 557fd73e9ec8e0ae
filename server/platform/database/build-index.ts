import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isLocked, type Report } from './migration-lock.ts'
import type { Tables } from './tables.ts'

const PROGRESS_MILLISECONDS = 2_000

type State = 'missing' | 'building' | 'invalid' | 'valid'

/** PostgreSQL does not notice that a process was killed: it goes on building the index, or leaves an invalid one. */
export async function buildIndex(
  database: Kysely<Tables>,
  report: Report,
  name: string,
  kind: RawBuilder<unknown>,
  definition: RawBuilder<unknown>,
): Promise<void> {
  const act: Record<Exclude<State, 'valid'>, () => Promise<unknown>> = {
    missing: () =>
      whileReporting(
        database,
        report,
        name,
        sql`create ${kind} concurrently if not exists ${sql.id(name)} ${definition}`,
      ),
    invalid: () => {
      report(`index ${name}: the remains of an interrupted build are dropped`)
      return sql`drop index concurrently if exists ${sql.id(name)}`.execute(database)
    },
    building: async () => {
      report(`index ${name}: ${await describeProgress(database, name)}, begun by an interrupted process`)
      await pause(PROGRESS_MILLISECONDS)
    },
  }
  for (;;) {
    const state = await readState(database, name)
    if (state === 'valid') return
    await act[state]().catch((error) => {
      // A long transaction can delay the end of a build. The index is then invalid, and is built again.
      if (!isLocked(error)) throw error
      report(`index ${name}: another transaction holds it up; trying again`)
    })
  }
}

async function readState(database: Kysely<Tables>, name: string): Promise<State> {
  const { rows } = await sql<{ isValid: boolean; isBuilding: boolean }>`
    select indisvalid as "isValid",
      exists (select from pg_stat_progress_create_index where index_relid = indexrelid) as "isBuilding"
    from pg_index where indexrelid = to_regclass(${quote(name)})`.execute(database)
  const [index] = rows
  if (!index) return 'missing'
  if (index.isBuilding) return 'building'
  return index.isValid ? 'valid' : 'invalid'
}

async function whileReporting(
  database: Kysely<Tables>,
  report: Report,
  name: string,
  statement: RawBuilder<unknown>,
): Promise<void> {
  report(`index ${name}: the build begins`)
  const reporting = setInterval(async () => {
    report(`index ${name}: ${await describeProgress(database, name)}`)
  }, PROGRESS_MILLISECONDS)
  try {
    await statement.execute(database)
  } finally {
    clearInterval(reporting)
  }
}

/** An error is ignored, because the build itself reports a lost connection. */
async function describeProgress(database: Kysely<Tables>, name: string): Promise<string> {
  const { rows } = await sql<{ phase: string; percent: number | null }>`
    select phase, floor(100.0 * greatest(blocks_done, tuples_done) / nullif(greatest(blocks_total, tuples_total), 0))::int
      as percent
    from pg_stat_progress_create_index where index_relid = to_regclass(${quote(name)})`
    .execute(database)
    .catch(() => ({ rows: [] }))
  const [progress] = rows
  if (!progress) return 'no progress is known'
  return progress.percent === null ? progress.phase : `${progress.phase}, ${progress.percent} %`
}

/** `to_regclass` would read a name without quotes in lower case, and our names have capital letters. */
function quote(name: string): string {
  return `"${name}"`
}
