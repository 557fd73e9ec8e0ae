import type { Static } from 'typebox'
import { findNewestProblem } from '../../../core/audit/verify-newest.ts'
import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { countAdmins } from '../../../core/users/store.ts'
import { countFailedEmails } from '../../../platform/mail/failed-emails.ts'
import { type EmailStatus, listEmails } from '../../../platform/mail/list-emails.ts'
import { DAY_MILLISECONDS } from '../../../platform/time/time-units.ts'
import type { SystemResponse } from './schemas.ts'
import type { SystemCheck, SystemParts } from './system-parts.ts'

type Attention = Static<typeof SystemResponse>['attention'][number]

const COUNTED_MAXIMUM = 500

export async function listAttention(
  context: Context,
  rateLimits: Pick<RateLimits, 'listHalfUsed'>,
  parts: Pick<SystemParts, 'countLogOuts'>,
  checks: SystemCheck[],
): Promise<Attention[]> {
  const chainProblem = await findNewestProblem({ ...context, database: context.slowReads })
  const failed = checks.filter(({ status }) => status === 'failed')
  return [
    ...failed.map(({ name, message }) => ({ kind: 'check-failed' as const, message: `${name}: ${message}` })),
    ...(chainProblem === undefined ? [] : [{ kind: 'audit-chain' as const, message: chainProblem }]),
    ...(await listMailProblems(
      context,
      checks.find(({ name }) => name === 'mail'),
    )),
    ...(await listLogOutProblems(parts, context.now())),
    ...(await listThrottled(rateLimits)),
    ...(await listAdministratorProblems(context)),
  ]
}

async function listMailProblems({ slowReads, now }: Context, check: SystemCheck | undefined): Promise<Attention[]> {
  const countOf = async (status: EmailStatus) =>
    (await listEmails(slowReads, now(), { status }, { limit: COUNTED_MAXIMUM, offset: 0 })).length
  const recent = await countFailedEmails(slowReads, now() - DAY_MILLISECONDS, COUNTED_MAXIMUM)
  const delayed = await countOf('delayed')
  // A slow greeting alone is no outage.
  const isOutage = check?.status === 'failed' || (check?.status === 'warning' && delayed > 0)
  const waiting = isOutage ? Math.min(delayed + (await countOf('queued')), COUNTED_MAXIMUM) : delayed
  const reason = isOutage
    ? 'must wait. All emails wait while the mail server is not available.'
    : 'could not be sent yet, and will be tried again.'
  return [
    ...(recent > 0
      ? [{ kind: 'mail-failing' as const, message: `${emails(recent)} failed in the last 24 hours.` }]
      : []),
    ...(waiting > 0 ? [{ kind: 'mail-waiting' as const, message: `${emails(waiting)} ${reason}` }] : []),
  ]
}

function emails(count: number): string {
  return count === 1 ? '1 email' : `${countText(count)} emails`
}

function countText(count: number): string {
  return count === COUNTED_MAXIMUM ? `${count} or more` : String(count)
}

async function listLogOutProblems(
  { countLogOuts }: Pick<SystemParts, 'countLogOuts'>,
  now: number,
): Promise<Attention[]> {
  const { retried, givenUp } = await countLogOuts(now - DAY_MILLISECONDS)
  const failing = `${logOuts(givenUp)} did not reach the app within a day, and will not be tried again.`
  const waiting = `${logOuts(retried)} did not reach the app yet, and will be tried again.`
  return [
    ...(givenUp > 0 ? [{ kind: 'log-outs-failing' as const, message: failing }] : []),
    ...(retried > 0 ? [{ kind: 'log-outs-waiting' as const, message: waiting }] : []),
  ]
}

function logOuts(count: number): string {
  return count === 1 ? '1 log-out' : `${count} log-outs`
}

async function listThrottled(rateLimits: Pick<RateLimits, 'listHalfUsed'>): Promise<Attention[]> {
  const used = await rateLimits.listHalfUsed(COUNTED_MAXIMUM)
  const count = used.filter((counter) => counter.used >= counter.limit).length
  if (count === 0) return []
  return [
    { kind: 'throttled', message: count === 1 ? '1 limit is used up.' : `${countText(count)} limits are used up.` },
  ]
}

async function listAdministratorProblems({ slowReads, now }: Context): Promise<Attention[]> {
  if ((await countAdmins(slowReads, now())) !== 1) return []
  const message = 'There is one administrator only. Make another user an administrator, so that the role is never lost.'
  return [{ kind: 'single-administrator', message }]
}
