import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { DAY_MILLISECONDS } from '../time/time-units.ts'
import { dayOf, type StatisticName } from './store.ts'

/** Bounds the rows of thousands of organizations. */
const TOP_DAYS_MAXIMUM = 31

/** `token-organization` is by day. */
const HOURLY: StatisticName[] = [
  'sign-in',
  'sign-in-failed',
  'user-created',
  'invitation-created',
  'invitation-accepted',
  'ban',
  'unban',
  'email-sent',
  'email-failed',
  'email-delay',
  'token',
]

export interface BucketCount {
  name: StatisticName
  detail: string
  bucket: number
  count: number
}

/** Epoch milliseconds, the end exclusive. */
interface Span {
  from: number
  to: number
}

/** The sums of each bucket, read along the primary key. */
export async function readBuckets(
  database: Kysely<Tables>,
  { from, to }: Span,
  bucketMilliseconds: number,
): Promise<BucketCount[]> {
  const bucket = sql`${sql.lit(from)} + (hour - ${sql.lit(from)}) / ${sql.lit(bucketMilliseconds)} * ${sql.lit(bucketMilliseconds)}`
  const { rows } = await sql<BucketCount>`
    select name, detail, ${bucket} as bucket, cast(sum("count") as bigint) as "count" from statistics
    where name in (${sql.join(HOURLY)}) and hour >= ${from} and hour < ${to}
    group by 1, 2, 3`.execute(database)
  return rows
}

export interface OrganizationTokens {
  id: string
  name: string
  slug: string
  tokens: number
}

export async function listTopOrganizations(
  database: Kysely<Tables>,
  { from, to }: Span,
  limit: number,
): Promise<OrganizationTokens[]> {
  const firstDay = dayOf(Math.max(from, to - TOP_DAYS_MAXIMUM * DAY_MILLISECONDS))
  const { rows } = await sql<OrganizationTokens>`
    select organizations.id, organizations.name, organizations.slug, days.tokens
    from (
      select detail, cast(sum("count") as bigint) as tokens from statistics
      where name = 'token-organization' and hour >= ${firstDay} and hour < ${to} group by detail
    ) as days
    join organizations on organizations.id = days.detail
    order by days.tokens desc, organizations.id limit ${limit}`.execute(database)
  return rows
}
