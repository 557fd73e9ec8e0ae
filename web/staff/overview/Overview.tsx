import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { Skeleton } from '../../shared/components/Skeleton.tsx'
import { useAddressValues } from '../../shared/routing/address-values.ts'
import { NeedsYou } from './NeedsYou.tsx'
import { Periods, periodOf } from './Periods.tsx'
import { Plots } from './Plots.tsx'
import { statisticsQuery } from './statistics.ts'
import { TopOrganizations } from './TopOrganizations.tsx'
import { UserCounts } from './UserCounts.tsx'

export function Overview() {
  const address = useAddressValues()
  const days = periodOf(address.get('days'))
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...statisticsQuery(days),
    placeholderData: keepPreviousData,
  })
  return (
    <FramePage heading="Staff overview" isWide>
      <NeedsYou />
      <Periods days={days} onChange={(chosen) => address.set({ days: chosen })} />
      {error && <FailureNotice error={error} retry={refetch} />}
      {!data && !error && <Skeleton lines={12} />}
      {data && (
        <div className="statistics" aria-busy={isPlaceholderData}>
          <UserCounts statistics={data} />
          <Plots key={data.from} statistics={data} />
          <TopOrganizations statistics={data} />
        </div>
      )}
    </FramePage>
  )
}
