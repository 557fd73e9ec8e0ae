import type { AuditAction } from '../../../server/core/audit/actions.ts'
import { dayAndTime, dayInUtc } from '../../shared/format/moment.ts'
import { number } from '../../shared/format/number.ts'
import { useIsAdministrator } from '../common/use-is-administrator.ts'
import { Plot } from './Plot.tsx'
import { countsOf, type Part, type Statistics } from './statistics.ts'

type Layer = { name: string; one?: string; parts: Part[] }

type StatisticsPlotProps = {
  statistics: Statistics
  /** A sentence with the result, for example "12 sign-ins in 30 days". */
  title: string
  /** At most two, see `Plot`. */
  layers: Layer[]
  /** The actions of the audit events that are counted: one for all layers, or one for each. */
  actions?: AuditAction[]
}

export function StatisticsPlot({ statistics, title, layers, actions = [] }: StatisticsPlotProps) {
  const isAdministrator = useIsAdministrator()
  const { buckets, interval, to } = statistics
  const name = interval === 'day' ? dayInUtc : dayAndTime
  const links = actions.map((action, layer) => ({
    name: actions.length === 1 ? 'Events' : `Events: ${layers[layer]?.name}`,
    linkOf: (at: number) => {
      const until = buckets[at + 1] ?? to
      return `/staff/audit?${new URLSearchParams({ action, from: buckets[at] ?? '', until })}`
    },
  }))
  return (
    <section className="card" aria-label={title}>
      <Plot
        title={title}
        buckets={buckets.map((bucket) => name(new Date(bucket)))}
        series={layers.map(({ name, one, parts }) => ({ name, one, counts: countsOf(statistics, parts) }))}
        links={isAdministrator ? links : []}
      />
      <Breakdown parts={layers.flatMap(({ parts }) => parts)} />
    </section>
  )
}

function Breakdown({ parts }: { parts: Part[] }) {
  const named = parts.filter(({ detail }) => detail !== '')
  if (named.length === 0) return null
  return (
    <dl className="facts breakdown">
      {named.map(({ name, detail, total, previousTotal }) => (
        <div key={`${name} ${detail}`}>
          <dt>{detail}</dt>
          <dd>
            {number(total)} <span className="soft">({number(previousTotal)} before)</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
