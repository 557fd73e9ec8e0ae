import type { Kysely } from 'kysely'

/** Columns of encrypted text say so. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('outbox').renameColumn('sealedLetter', 'encryptedEmail').execute()
  await schema.alterTable('signingKeys').renameColumn('sealedPrivateJwk', 'encryptedPrivateJwk').execute()
  await schema.alterTable('sessions').renameColumn('sealedImpersonatorToken', 'encryptedImpersonatorToken').execute()
}
