import { OPERATOR } from '../core/audit/actor.ts'
import type { Context } from '../core/context.ts'
import { retryEmail, retryFailedEmails } from '../features/staff/emails/retry-emails.ts'
import { toIso } from '../platform/http/time.ts'
import { listUnsentEmails, type UnsentEmail } from '../platform/mail/failed-emails.ts'
import { toOneLine } from '../platform/one-line.ts'
import { readArguments, refuseArguments, wrongUse } from './arguments.ts'
import type { Command } from './command.ts'
import { openExisting } from './prepare.ts'

const LISTED_MAXIMUM = 100

const HELP = `Usage: npm run accounts -- emails list [--failed]
       npm run accounts -- emails retry ID
       npm run accounts -- emails retry --failed

list     Lists waiting emails, or with --failed the failed ones, newest first, at most ${LISTED_MAXIMUM}: id, kind, recipient,
         failed attempts (except while the mail server accepts no email), and the last error of the mail server.
retry    Sends a failed email again, or with --failed all of them. The text of a failed email is deleted after 24 hours.
         Sending again does not extend its link: a link to reset a password works for an hour, an invitation for 7 days.`

export const emailsCommand: Command = {
  summary: 'List emails that were not sent, and send them again',
  help: HELP,
  takesArguments: true,
  async run(config, runtime, commandArguments) {
    const { action, id, isFailed } = parse(commandArguments)
    const { context, close } = await openExisting(config, runtime)
    await (action === 'list' ? list(context, isFailed) : retry(context, id)).finally(close)
  },
}

function parse(commandArguments: string[]): { action: string; id: string | undefined; isFailed: boolean } {
  const { values, positionals } = readArguments(commandArguments, { failed: { type: 'boolean' } }, HELP)
  const [action, ...words] = positionals
  const isFailed = values.failed ?? false
  if (action === 'list') {
    refuseArguments(words, HELP)
    return { action, id: undefined, isFailed }
  }
  if (action !== 'retry') throw wrongUse(action ? `There is no "emails ${action}".` : 'list or retry is needed.', HELP)
  const [id, ...rest] = words
  refuseArguments(rest, HELP)
  if ((id !== undefined) === isFailed) throw wrongUse('retry needs either the ID of an email or --failed.', HELP)
  return { action, id, isFailed }
}

async function list(context: Context, isFailed: boolean): Promise<void> {
  const emails = await listUnsentEmails(context.database, { now: context.now(), isFailed, limit: LISTED_MAXIMUM })
  if (emails.length === 0) console.log(isFailed ? 'No email failed.' : 'No email waits.')
  for (const email of emails) console.log(describe(email))
}

function describe({ id, createdAt, kind, recipient, attempts, failedAt, hasText, lastError }: UnsentEmail): string {
  const text = failedAt !== null && !hasText ? '  (the text is deleted)' : ''
  const reason = toOneLine(lastError ?? 'not tried yet')
  return `${id}  ${toIso(createdAt)}  ${kind}  ${recipient}  failed attempts: ${attempts}${text}\n  ${reason}`
}

async function retry(context: Context, id: string | undefined): Promise<void> {
  if (id === undefined) {
    console.log(`Emails that are sent again: ${await retryFailedEmails(context, OPERATOR)}. Links may have expired.`)
    return
  }
  await retryEmail(context, OPERATOR, null, id)
  console.log('The email is sent again. A link in it may have expired.')
}
