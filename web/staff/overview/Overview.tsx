import { useQuery } from '@tanstack/react-query'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { Plot } from '../../shared/components/Plot.tsx'
import { Skeleton } from '../../shared/components/Skeleton.tsx'
import { day } from '../../shared/format/moment.ts'
import { type Statistics, statisticsQuery } from './statistics.ts'

export function Overview() {
  const { data, error, isPending, refetch } = useQuery(statisticsQuery)
  return (
    <FramePage heading="Staff overview" isWide>
      {isPending && <Skeleton lines={8} />}
      {error && <FailureNotice error={error} retry={refetch} />}
      {data && (
        <section className="card" aria-label="Sign-ins">
          <Plot
            title={titleOf(data)}
            buckets={data.buckets.map((bucket) => day(new Date(bucket)))}
            series={[
              { name: 'sign-ins', counts: sumOf(data, 'sign-in') },
              { name: 'failed sign-ins', counts: sumOf(data, 'sign-in-failed') },
            ]}
          />
        </section>
      )}
    </FramePage>
  )
}

function titleOf({ series }: Statistics): string {
  const signIns = series.filter(({ name }) => name === 'sign-in')
  const total = signIns.reduce((sum, { total }) => sum + total, 0)
  const before = signIns.reduce((sum, { previousTotal }) => sum + previousTotal, 0)
  return `${total.toLocaleString()} sign-ins in 30 days, ${before.toLocaleString()} in the 30 days before`
}

/** The counts of all details of a series. */
function sumOf({ series, buckets }: Statistics, name: string): number[] {
  const parts = series.filter((part) => part.name === name)
  return buckets.map((_, at) => parts.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0))
}
