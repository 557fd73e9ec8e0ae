import { growthOf } from './document.ts'
import type { CallResult, EngineResults } from './measure-calls.ts'

const PANEL = { width: 430, height: 420, left: 56, top: 48, plotWidth: 150, plotHeight: 320 }
/** Milliseconds, on a logarithmic axis. */
const TICKS = [0.1, 1, 10, 100, 1_000]
const LABEL_HEIGHT = 11

/** Readable on a light and on a dark page. */
const STYLE = `
  text { font: 11px system-ui, sans-serif; fill: #57606a }
  .title { font-size: 13px; font-weight: 600; fill: #24292f }
  .grid { stroke: #d0d7de; stroke-width: 1 }
  .call { stroke: #8c959f; stroke-width: 1; fill: none; opacity: .5 }
  .grows { stroke: #bc4c00; stroke-width: 1.5; fill: none }
  .grows-label { fill: #bc4c00; font-size: 10px }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 } .title { fill: #f0f6fc } .grid { stroke: #3d444d }
    .call { stroke: #656c76 } .grows { stroke: #f0883e } .grows-label { fill: #f0883e }
  }`

/** A panel for each engine, with one line for each endpoint: p50 by the number of users. */
export function plotResults(all: EngineResults[], growthMaximum: number): string {
  const width = PANEL.width * all.length
  const panels = all.map(
    (engine, index) => `<g transform="translate(${index * PANEL.width})">${panelOf(engine, growthMaximum)}</g>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${PANEL.height}" role="img"
  aria-label="p50 of every endpoint by the number of users"><style>${STYLE}</style>
${panels.join('\n')}
</svg>
`
}

function panelOf({ engine, results }: EngineResults, growthMaximum: number): string {
  const measured = results.filter(({ sizes }) => sizes.length > 1)
  const sizes = measured[0]?.sizes.map(({ users }) => users) ?? []
  const grows = (call: CallResult) => growthOf(call) > growthMaximum
  const lines = measured.toSorted((one, other) => Number(grows(one)) - Number(grows(other)))
  return [
    `<text class="title" x="${PANEL.left}" y="20">${engine}: p50 in ms by the number of users</text>`,
    ...TICKS.map((tick) => gridOf(tick)),
    ...sizes.map((users, index) => sizeLabel(users, index, sizes.length)),
    ...lines.map((call) => `<polyline class="${grows(call) ? 'grows' : 'call'}" points="${pointsOf(call)}"/>`),
    ...labelsOf(lines.filter(grows)),
  ].join('\n')
}

function x(index: number, count: number): number {
  return PANEL.left + (PANEL.plotWidth * index) / Math.max(1, count - 1)
}

function y(milliseconds: number): number {
  const [least = 1, most = 1] = [TICKS[0], TICKS.at(-1)]
  const share = (Math.log(milliseconds) - Math.log(least)) / (Math.log(most) - Math.log(least))
  return PANEL.top + PANEL.plotHeight * (1 - Math.min(1, Math.max(0, share)))
}

function gridOf(tick: number): string {
  const height = y(tick).toFixed(1)
  return `<line class="grid" x1="${PANEL.left}" x2="${PANEL.left + PANEL.plotWidth}" y1="${height}" y2="${height}"/>
<text x="${PANEL.left - 6}" y="${Number(height) + 4}" text-anchor="end">${tick.toLocaleString('en')}</text>`
}

function sizeLabel(users: number, index: number, count: number): string {
  const text = users >= 1_000_000 ? `${users / 1_000_000} M` : `${users / 1_000} k`
  return `<text x="${x(index, count)}" y="${PANEL.top + PANEL.plotHeight + 18}" text-anchor="middle">${text}</text>`
}

function pointsOf({ sizes }: CallResult): string {
  return sizes.map(({ p50 }, index) => `${x(index, sizes.length).toFixed(1)},${y(p50).toFixed(1)}`).join(' ')
}

/** Beside the ends of the lines, and below each other. */
function labelsOf(calls: CallResult[]): string[] {
  let free = 0
  const byHeight = calls.toSorted((one, other) => other.sizes.at(-1)!.p50 - one.sizes.at(-1)!.p50)
  return byHeight.map(({ name, sizes }) => {
    const height = Math.max(free, y(sizes.at(-1)!.p50) + 3)
    free = height + LABEL_HEIGHT
    const text = name.replace('/api/auth/', '').replace('GET ', '')
    return `<text class="grows-label" x="${PANEL.left + PANEL.plotWidth + 6}" y="${height.toFixed(1)}">${text}</text>`
  })
}
