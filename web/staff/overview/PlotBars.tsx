import { useId } from 'react'
import { Link } from 'wouter'
import type { PlotLink, Series } from './Plot.tsx'

const HEIGHT = 100
const GAP = 0.2

type PlotBarsProps = {
  series: Series[]
  count: number
  marked: number
  links: PlotLink[]
}

/** Stacked bars. The numbers are in the table and the output, so screen readers skip the picture. */
export function PlotBars({ series, count, marked, links }: PlotBarsProps) {
  const hatch = useId()
  const sums = Array.from({ length: count }, (_, at) => sumBefore(series, series.length, at))
  const scale = HEIGHT / Math.max(1, ...sums)
  const barOf = (layer: number, at: number) => {
    const value = series[layer]?.counts[at] ?? 0
    const y = HEIGHT - (sumBefore(series, layer, at) + value) * scale
    return { x: at + GAP / 2, width: 1 - GAP, y, height: value * scale }
  }
  return (
    <svg viewBox={`0 0 ${Math.max(1, count)} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <defs>
        <pattern id={hatch} width="0.2" height="6" patternUnits="userSpaceOnUse">
          <rect className="plot-bar-1" width="0.2" height="4" />
        </pattern>
      </defs>
      <rect className="plot-marked" x={marked} width="1" height={HEIGHT} />
      {series.map(({ name, counts }, layer) =>
        counts.map((_, at) => (
          <rect
            key={`${name} ${bucketKey(at)}`}
            className={layer === 0 ? 'plot-bar-0' : undefined}
            fill={layer === 0 ? undefined : `url(#${hatch})`}
            {...barOf(layer, at)}
          />
        )),
      )}
      {links.map(({ name, linkOf }, layer) =>
        sums.map((_, at) => (
          <Link key={`${name} ${bucketKey(at)}`} href={linkOf(at)} tabIndex={-1}>
            <rect className="plot-target" {...(layer === 0 ? { x: at, width: 1, height: HEIGHT } : barOf(layer, at))} />
          </Link>
        )),
      )}
    </svg>
  )
}

/** The sum of the layers below a layer. */
function sumBefore(series: Series[], layer: number, at: number): number {
  return series.slice(0, layer).reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0)
}

function bucketKey(at: number): string {
  return `bucket ${at}`
}
