import type { Context } from '../core/context.ts'
import { openContext } from '../core/context.ts'
import { confirmCredentials } from '../features/copies/confirm-credentials.ts'
import { restoreDatabase, restoreOf } from '../features/copies/restore-database.ts'
import type { RevokedCredentials } from '../features/copies/revoke-credentials.ts'
import { listUnconfirmed, type UnconfirmedCredential } from '../features/copies/unconfirmed-store.ts'
import { assertBackupFile } from '../features/copies/with-backup.ts'
import type { Config } from '../platform/config/config.ts'
import type { Runtime } from '../platform/context.ts'
import { SecretError, secretPathOf } from '../platform/crypto/secret-file.ts'
import { assertEmptyOrBegun } from '../platform/database/copy/copy-state.ts'
import { FinishedCopyError } from '../platform/database/copy/finished-copy.ts'
import { inspectFile } from '../platform/database/existing-database.ts'
import { toOneLine } from '../platform/one-line.ts'
import { refuseArguments, wrongUse } from './arguments.ts'
import { type Command, CommandError } from './command.ts'
import { openExisting } from './prepare.ts'
import { drawProgress } from './progress-bar.ts'

const HELP = `Usage: npm run accounts -- restore FILE
       npm run accounts -- restore list
       npm run accounts -- restore confirm ID…
       npm run accounts -- restore confirm --all

FILE     Copies a backup into the new, empty database of DATABASE_URL, SQLite or PostgreSQL, and compares each row. Nothing
         that was revoked after the backup works again: sessions, links, invitations, trusted devices and tokens end, a
         new signing key replaces all others, and API keys and OAuth clients are disabled until they are confirmed. An
         interrupted restore continues when it is run again, and no service starts before its end.
list     Lists the API keys and OAuth clients that wait for confirmation.
confirm  Enables those with the given IDs, with --all every one of the list. The database does not know which were revoked
         or rotated after the backup: these would work again, so confirm only IDs that you know to be valid. An owner
         who enables one does the same.`

export const restoreCommand: Command = {
  summary: 'Restore a backup, and confirm API keys and OAuth clients afterwards',
  help: HELP,
  takesArguments: true,
  async run(config, runtime, [first, ...rest]) {
    if (first === undefined) throw wrongUse('The file of a backup, list or confirm is needed.', HELP)
    if (first === 'confirm') return confirm(config, runtime, rest)
    if (first.startsWith('-')) throw wrongUse(`Unknown option '${first}'.`, HELP)
    refuseArguments(rest, HELP)
    if (first === 'list') return withDatabase(config, runtime, list)
    await restore(config, runtime, first).catch((error) => {
      throw error instanceof FinishedCopyError ? new CommandError(`${error.message}\n\n${CHECKS}`) : error
    })
  },
}

async function restore(config: Config, runtime: Runtime, file: string): Promise<void> {
  if (config.secret === '' && config.database.engine === 'sqlite')
    throw new SecretError(
      `SECRET is missing: set it, or put the file ${secretPathOf(config.database.path)} back. A restore needs the SECRET that the backup was made with.`,
    )
  assertBackupFile(file)
  await inspectFile(config.database, (target) => assertEmptyOrBegun(target, restoreOf(file)))
  const { context, close } = openContext(config, runtime)
  console.log(describe(await restoreDatabase(context, file, drawProgress).finally(close)))
}

async function withDatabase(config: Config, runtime: Runtime, use: (context: Context) => Promise<void>): Promise<void> {
  const { context, close } = await openExisting(config, runtime)
  await use(context).finally(close)
}

async function list({ database }: Context): Promise<void> {
  const waiting = await listUnconfirmed(database)
  if (waiting.length === 0) console.log('Nothing waits for confirmation.')
  for (const credential of waiting) console.log(describeCredential(credential))
}

async function confirm(config: Config, runtime: Runtime, ids: string[]): Promise<void> {
  const isAll = ids.join() === '--all'
  const option = ids.find((id) => id.startsWith('-'))
  if (ids.length === 0) throw wrongUse('confirm needs IDs, or --all. restore list shows the IDs.', HELP)
  if (!isAll && option !== undefined)
    throw wrongUse(option === '--all' ? '--all stands alone, without IDs.' : `Unknown option '${option}'.`, HELP)
  await withDatabase(config, runtime, async (context) => {
    const confirmed = await confirmCredentials(context, isAll ? 'all' : ids)
    for (const credential of confirmed) console.log(describeCredential(credential))
    console.log(`Enabled: ${confirmed.length}.`)
  })
}

function describeCredential({ id, kind, name, organizationName }: UnconfirmedCredential): string {
  return toOneLine(`${id}  ${kind}  ${name}  ${organizationName ?? 'of the service'}`)
}

const CHECKS = `This database does not know what was changed after the backup. Check, and change again:
  - users who were banned, deleted, or lost a role; members who were removed or lost a role
  - passwords, email addresses, passkeys and second steps that were replaced; recovery codes that were used
  - organizations that were deleted, and users, members and organizations that were new`

function describe(revoked: RevokedCredentials): string {
  return `The backup is restored, and every row is verified. This is revoked, because it may have been revoked after the backup:
  sessions: ${revoked.sessions}, sessions at apps: ${revoked.clientSessions}, trusted devices: ${revoked.trustedDevices}, consents: ${revoked.consents}
  links and sign-ins under way: ${revoked.links}
  pending invitations: ${revoked.invitations} are canceled; owners invite again
  waiting emails: ${revoked.emails} are not sent, because they may have been sent
  signing keys: ${revoked.signingKeys} are withdrawn, and a new one signs; services refuse earlier tokens within five minutes
  API keys: ${revoked.apiKeys}, OAuth clients: ${revoked.oauthClients}; they are disabled until you confirm them

${CHECKS}

Next: npm run accounts -- restore list, then restore confirm with the ids that are still valid. Then start.`
}
