import type { CallResult, EngineResults } from './measure-calls.ts'

/** @returns how much longer a request takes in the largest population than in the smallest; 0 when it was not measured */
export function growthOf({ sizes }: CallResult): number {
  return sizes.length === 0 ? 0 : sizes.at(-1)!.p50 / sizes[0]!.p50
}

/** docs/performance-by-size.md */
export function toDocument(all: EngineResults[], machine: string): string {
  const sizes = all.flatMap(({ results }) => results).find((result) => result.sizes.length > 0)?.sizes ?? []
  const head = [
    'route',
    ...all.flatMap(({ engine }) => [...sizes.map(({ users }) => `${engine}, ${users.toLocaleString('en')}`), 'growth']),
  ]
  const names = all[0]?.results.map(({ name }) => name) ?? []
  const rows = names.map((name) => [name, ...all.flatMap(({ results }) => cellsOf(results, name, sizes.length))])
  const table = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  return `# Every endpoint by the number of users

${new Date().toISOString().slice(0, 10)}, ${machine}

p50 (p99) in milliseconds. [performance.md](performance.md#a-million-users) has the method and the bar.

${table.join('\n')}
`
}

function cellsOf(results: CallResult[], name: string, sizeCount: number): string[] {
  const result = results.find((found) => found.name === name)
  if (!result || result.sizes.length === 0) return [result?.problem ?? '', ...Array<string>(sizeCount).fill('')]
  const times = result.sizes.map(({ p50, p99 }) => `${p50.toFixed(1)} (${p99.toFixed(0)})`)
  return [...times, `${growthOf(result).toFixed(1)} ×`]
}
