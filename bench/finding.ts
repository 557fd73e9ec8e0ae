import { formatNumber } from './bench.ts'

export type Bar = { atLeast: number } | { atMost: number }

/** One row of the printed table. */
export interface Finding {
  what: string
  ours: string
  /** The object of comparison with its value. */
  against: string
  /** The value that the bar limits: a ratio (×), or the value of Accounts. */
  value: number
  unit: '×' | 'ms' | 'MiB' | 'errors'
  bar?: Bar | undefined
}

export function isReached({ value, bar }: Finding): boolean | undefined {
  if (!bar) return undefined
  return 'atLeast' in bar ? value >= bar.atLeast : value <= bar.atMost
}

export function showFindings(findings: Finding[]): string {
  const rows = findings.map((finding) => {
    const reached = isReached(finding)
    return [
      finding.what,
      finding.ours,
      finding.against,
      showValue(finding.value, finding.unit),
      showBar(finding),
      reached === undefined ? '' : reached ? 'reached' : 'NOT reached',
    ]
  })
  const table = [['measured', 'ours', 'against', 'result', 'bar', ''], ...rows]
  const widths = table[0]!.map((_title, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function showBar({ bar, unit }: Finding): string {
  if (!bar) return ''
  return 'atLeast' in bar ? `≥ ${showValue(bar.atLeast, unit)}` : `≤ ${showValue(bar.atMost, unit)}`
}

function showValue(value: number, unit: Finding['unit']): string {
  return unit === '×' ? `${formatNumber(value)} ×` : `${formatNumber(value)} ${unit}`
}
