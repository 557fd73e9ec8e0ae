import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import { countUsers } from '../../../core/users/count-users.ts'
import { toIso } from '../../../platform/http/time.ts'
import { medianDelay } from '../../../platform/statistics/email-delays.ts'
import { type BucketCount, listTopOrganizations, readBuckets } from '../../../platform/statistics/read-statistics.ts'
import { listBuckets, type Period } from './parse-period.ts'
import type { StatisticsResponse } from './schemas.ts'

type ResponseBody = Static<typeof StatisticsResponse>
type Series = ResponseBody['series'][number]

const TOP_ORGANIZATIONS = 10

/** No read depends on the number of audit events, emails or sessions. */
export async function getStatistics({ slowReads, now }: Context, period: Period): Promise<ResponseBody> {
  const { from, to, interval, bucketMilliseconds } = period
  const counts = await readBuckets(slowReads, period, bucketMilliseconds)
  const before = { from: from - (to - from), to: from }
  const previous = await readBuckets(slowReads, before, to - from)
  const buckets = listBuckets(period)
  const series = toSeries(buckets, counts, previous)
  return {
    from: toIso(from),
    to: toIso(to),
    interval,
    buckets: buckets.map(toIso),
    series,
    medianEmailDelaySeconds: medianDelay(totalsOf(series, 'email-delay')),
    topOrganizations: await listTopOrganizations(slowReads, period, TOP_ORGANIZATIONS),
    passkeyShare: shareOf(totalsOf(series, 'sign-in'), 'passkey'),
    users: await countUsers(slowReads, now()),
  }
}

function toSeries(buckets: number[], counts: BucketCount[], previous: BucketCount[]): Series[] {
  const positions = new Map(buckets.map((bucket, index) => [bucket, index]))
  const all = new Map<string, Series>()
  const seriesOf = ({ name, detail }: BucketCount): Series => {
    const key = JSON.stringify([name, detail])
    const known = all.get(key) ?? { name, detail, counts: buckets.map(() => 0), total: 0, previousTotal: 0 }
    all.set(key, known)
    return known
  }
  for (const bucket of counts) {
    const series = seriesOf(bucket)
    series.counts[positions.get(bucket.bucket) ?? 0] = bucket.count
    series.total += bucket.count
  }
  for (const bucket of previous) seriesOf(bucket).previousTotal += bucket.count
  return [...all].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, series]) => series)
}

function totalsOf(series: Series[], name: string): Map<string, number> {
  return new Map(series.filter((one) => one.name === name).map(({ detail, total }) => [detail, total]))
}

function shareOf(totals: Map<string, number>, detail: string): number | null {
  const total = [...totals.values()].reduce((sum, count) => sum + count, 0)
  return total === 0 ? null : (totals.get(detail) ?? 0) / total
}
