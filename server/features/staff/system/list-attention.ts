import type { Static } from 'typebox'
import type { RateLimits } from '../../../core/access/rate-limits.ts'
import { findNewestProblem } from '../../../core/audit/verify-newest.ts'
import type { Context } from '../../../core/context.ts'
import { countAdmins } from '../../../core/users/store.ts'
import { listEmails } from '../../../platform/mail/list-emails.ts'
import type { SystemAnswer } from './schemas.ts'
import type { SystemCheck } from './system-parts.ts'

type Attention = Static<typeof SystemAnswer>['attention'][number]

const DAY_MILLISECONDS = 86_400_000
/** Reads stop here, and the message says "or more". */
const COUNTED_MAXIMUM = 500

/** The problems that an administrator should look at now. Empty when everything is well. */
export async function listAttention(
  context: Context,
  rateLimits: RateLimits,
  checks: SystemCheck[],
): Promise<Attention[]> {
  const chainProblem = await findNewestProblem({ ...context, database: context.slowReads })
  const failed = checks.filter(({ status }) => status === 'failed')
  return [
    ...failed.map(({ name, message }) => ({ kind: 'check-failed' as const, message: `${name}: ${message}` })),
    ...(chainProblem === undefined ? [] : [{ kind: 'audit-chain' as const, message: chainProblem }]),
    ...(await listMailProblems(context)),
    ...(await listThrottled(rateLimits)),
    ...(await listAdministratorProblems(context)),
  ]
}

async function listMailProblems({ slowReads, now }: Context): Promise<Attention[]> {
  const page = { limit: COUNTED_MAXIMUM, offset: 0 }
  const failed = await listEmails(slowReads, { status: 'failed' }, page)
  const recent = failed.filter(({ failedAt }) => (failedAt ?? 0) > now() - DAY_MILLISECONDS).length
  const delayed = (await listEmails(slowReads, { status: 'delayed' }, page)).length
  return [
    ...(recent > 0
      ? [{ kind: 'mail-failing' as const, message: `${emails(recent)} failed in the last 24 hours.` }]
      : []),
    ...(delayed > 0
      ? [
          {
            kind: 'mail-waiting' as const,
            message: `${emails(delayed)} could not be sent yet, and will be tried again.`,
          },
        ]
      : []),
  ]
}

function emails(count: number): string {
  const number = count === COUNTED_MAXIMUM ? `${count} or more` : String(count)
  return count === 1 ? '1 email' : `${number} emails`
}

async function listThrottled(rateLimits: RateLimits): Promise<Attention[]> {
  const used = await rateLimits.listUsed(COUNTED_MAXIMUM)
  const count = used.filter((counter) => counter.used >= counter.limit).length
  if (count === 0) return []
  return [{ kind: 'throttled', message: count === 1 ? '1 limit is used up.' : `${count} limits are used up.` }]
}

async function listAdministratorProblems({ slowReads }: Context): Promise<Attention[]> {
  if ((await countAdmins(slowReads)) !== 1) return []
  const message = 'There is one administrator only. Make another user an administrator, so that the role is never lost.'
  return [{ kind: 'single-administrator', message }]
}
