import { number } from '../../shared/format/number.ts'
import type { PlotProps } from './Plot.tsx'

export function PlotTable({ title, buckets, series }: PlotProps) {
  const rows = buckets.map((bucket, at) => [bucket, ...series.map(({ counts }) => String(counts[at] ?? 0))])
  const csv = [['time', ...series.map(({ name }) => name)], ...rows]
    .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
    .join('\r\n')
  return (
    <div className="plot-links">
      <details>
        <summary>Show as a table</summary>
        <table>
          <caption className="visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {buckets.map((bucket, at) => (
              <tr key={bucket}>
                <th scope="row">{bucket}</th>
                {series.map(({ name, counts }) => (
                  <td key={name}>{number(counts[at] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      <a href={`data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`} download="numbers.csv">
        Download as CSV
      </a>
    </div>
  )
}
