import { useId, useState } from 'react'
import { Link } from 'wouter'
import { counted } from '../../shared/format/number.ts'
import { PlotBars } from './PlotBars.tsx'
import { PlotTable } from './PlotTable.tsx'

export type Series = {
  /** In the plural, for example "bans". */
  name: string
  /** The name for one. */
  one?: string | undefined
  counts: number[]
}

/** Leads to the page with the events of a bucket. */
export type PlotLink = { name: string; linkOf: (at: number) => string }

export type PlotProps = {
  /** States the finding, for example "12 sign-ins in 30 days, 3 more than before". */
  title: string
  /** The names of the buckets, for example days. */
  buckets: string[]
  /** At most two: the second is hatched, so that color is not the only difference. */
  series: Series[]
  /** None, one for all series, or one for each. A click on a bar follows its link. */
  links: PlotLink[]
}

/** Counts over time: bars, the numbers of one bucket by the arrow keys, all numbers as a table and as CSV. */
export function Plot(props: PlotProps) {
  const { title, buckets, series, links } = props
  const [marked, setMarked] = useState(buckets.length - 1)
  const slider = useId()
  const text = `${buckets[marked] ?? ''}: ${series.map(({ name, one = name, counts }) => counted(counts[marked] ?? 0, one, name)).join(', ')}`
  return (
    <figure className="plot">
      <figcaption>{title}</figcaption>
      <PlotBars series={series} count={buckets.length} marked={marked} links={links} />
      <input
        id={slider}
        type="range"
        aria-label={`Time of ${title}`}
        aria-valuetext={text}
        min={0}
        max={Math.max(0, buckets.length - 1)}
        value={marked}
        onChange={({ target }) => setMarked(Number(target.value))}
      />
      <p className="plot-numbers">
        <output htmlFor={slider}>{text}</output>
        {links.map(({ name, linkOf }) => (
          <Link key={name} href={linkOf(marked)}>
            {name}
            <span className="visually-hidden"> of {buckets[marked]}</span>
          </Link>
        ))}
      </p>
      <PlotTable {...props} />
    </figure>
  )
}
