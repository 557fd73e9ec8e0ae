import type { PlotProps } from './Plot.tsx'

export function PlotTable({ title, buckets, series }: PlotProps) {
  const csv = [['time', ...series.map(({ name }) => name)], ...rowsOf(buckets, series)]
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
            {rowsOf(buckets, series).map(([bucket, ...counts]) => (
              <tr key={bucket}>
                <th scope="row">{bucket}</th>
                {counts.map((count, layer) => (
                  <td key={series[layer]?.name}>{count}</td>
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

function rowsOf(buckets: string[], series: PlotProps['series']): string[][] {
  return buckets.map((bucket, at) => [bucket, ...series.map(({ counts }) => String(counts[at] ?? 0))])
}
