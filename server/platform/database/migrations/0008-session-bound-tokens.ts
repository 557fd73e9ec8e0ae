import { type Kysely, sql } from 'kysely'

/** A token that a session asked for is deleted with the session, in whatever way the session is revoked. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database
  await schema
    .alterTable('singleUseTokens')
    .addColumn('sessionId', 'text', (column) => column.references('sessions.id').onDelete('cascade'))
    .execute()
  await schema
    .createIndex('singleUseTokens_sessionId')
    .on('singleUseTokens')
    .column('sessionId')
    .where('sessionId' as never, 'is not', null)
    .execute()
  // The session of an older token is unknown. These tokens live for an hour at most, so users ask again.
  await sql`delete from "singleUseTokens"
    where purpose in ('change email', 'delete user', 'register passkey', 'sign in with passkey')`.execute(database)
}
