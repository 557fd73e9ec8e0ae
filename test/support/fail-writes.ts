import { type RawBuilder, sql } from 'kysely'
import type { Service } from './service.ts'

/**
 * Fails each transaction at its first write to a table, as a crash at that moment.
 * @param events by default an insert or update @returns the function that ends it
 */
export async function failWrites(
  { context: { database }, engine }: Service,
  table: string,
  events = ['insert', 'update'],
): Promise<() => Promise<void>> {
  const run = async (...statements: RawBuilder<unknown>[]) => {
    for (const statement of statements) await statement.execute(database)
  }
  if (engine === 'postgres') {
    await run(
      sql`create function crash() returns trigger language plpgsql as $$ begin raise exception 'crashed'; end $$`,
      sql`create trigger crash before ${sql.raw(events.join(' or '))} on ${sql.table(table)} for each row execute function crash()`,
    )
    return () => run(sql`drop trigger crash on ${sql.table(table)}`, sql`drop function crash()`)
  }
  const triggers = events.map((event) => ({ name: sql.id(`crash_${event}`), event: sql.raw(event) }))
  await run(
    ...triggers.map(
      ({ name, event }) => sql`create trigger ${name} before ${event} on ${sql.table(table)}
        begin select raise(abort, 'crashed'); end`,
    ),
  )
  return () => run(...triggers.map(({ name }) => sql`drop trigger ${name}`))
}
