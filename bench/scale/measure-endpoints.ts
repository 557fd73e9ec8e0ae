import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { formatNumber } from '../bench.ts'
import type { Finding } from '../finding.ts'
import { ALL_CALLS } from './calls/all-calls.ts'
import { openDatabases } from './databases.ts'
import { type CallResult, measureCall } from './measure-calls.ts'
import { plotResults } from './plot.ts'
import { createScene, type Scene } from './scene.ts'
import { type MeasuredService, startMeasured } from './service.ts'

/** How much longer a request may take in the largest population than in the smallest. */
const GROWTH_MAXIMUM = 2

export interface EngineResults {
  engine: string
  results: CallResult[]
}

/** Every endpoint with populations of several sizes, on both engines. Writes a table, the numbers and a plot. */
export async function measureEndpoints(bench: Bench): Promise<Finding[]> {
  const all: EngineResults[] = []
  for (const engine of bench.scale.engines) all.push({ engine, results: await measureEngine(bench, engine) })
  const { out } = bench.scale
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'endpoints.json'), `${JSON.stringify(all, null, 2)}\n`)
  writeFileSync(join(out, 'endpoints.md'), all.map(toTable).join('\n'))
  writeFileSync(join(out, 'endpoints.svg'), plotResults(all, GROWTH_MAXIMUM))
  return all.flatMap(({ engine, results }) => toFindings(engine, results))
}

async function measureEngine(bench: Bench, engine: string): Promise<CallResult[]> {
  const databases = await openDatabases(bench, engine)
  const services: MeasuredService[] = []
  const scenes: Scene[] = []
  for (const users of bench.scale.sizes) {
    const service = await startMeasured(bench.workplace, await databases.find(users))
    services.push(service)
    scenes.push(createScene(service, users))
  }
  const results: CallResult[] = []
  for (const [name, call] of Object.entries(ALL_CALLS)) {
    const result = await measureCall(name, call, scenes, bench.scale.share)
    results.push(result)
    bench.progress(`${engine}: ${describe(result)}`)
  }
  for (const service of services) await service.stop()
  await databases.stop()
  return results
}

function growthOf({ sizes }: CallResult): number {
  return sizes.length === 0 ? 0 : sizes.at(-1)!.p50 / sizes[0]!.p50
}

function describe(result: CallResult): string {
  const times = result.sizes.map(({ p50, p99 }) => `${formatNumber(p50)} (${formatNumber(p99)})`).join(', ')
  return `${result.name}: ${result.problem ?? `${times} ms, ${formatNumber(growthOf(result))} ×`}`
}

function toTable({ engine, results }: EngineResults): string {
  const sizes = results.find((result) => result.sizes.length > 0)?.sizes ?? []
  const head = `| ${engine}: p50 (p99) in ms | ${sizes.map(({ users }) => `${users.toLocaleString('en')} users`).join(' | ')} | growth |`
  const rows = results.map((result) => {
    const cells = result.sizes.map(({ p50, p99 }) => `${p50.toFixed(1)} (${p99.toFixed(0)})`)
    return `| ${result.name} | ${result.problem ?? `${cells.join(' | ')} | ${growthOf(result).toFixed(1)} ×`} |`
  })
  return [head, head.replace(/[^|]+/g, ' --- '), ...rows, ''].join('\n')
}

/** One for all endpoints below the bar, and one for each that is not. */
function toFindings(engine: string, results: CallResult[]): Finding[] {
  const measured = results.filter(({ problem }) => problem === undefined)
  const problems = results.length - measured.length
  const [slowest, ...rest] = measured.toSorted((one, other) => growthOf(other) - growthOf(one))
  if (!slowest) throw new Error(`No endpoint could be measured on ${engine}: ${results[0]?.problem}`)
  const above = [slowest, ...rest.filter((result) => growthOf(result) > GROWTH_MAXIMUM)]
  return [
    ...above.map((result) => ({
      what: `growth on ${engine}, ${result.name}`,
      ours: `${formatNumber(result.sizes.at(-1)!.p50)} ms`,
      against: `${formatNumber(result.sizes[0]!.p50)} ms with ${result.sizes[0]!.users} users`,
      value: growthOf(result),
      unit: '×' as const,
      bar: { atMost: GROWTH_MAXIMUM },
    })),
    {
      what: `endpoints on ${engine} that failed`,
      ours: results.map(({ problem }) => problem).find((problem) => problem !== undefined) ?? 'none',
      against: `of ${results.length}`,
      value: problems,
      unit: 'errors',
      bar: { atMost: 0 },
    },
  ]
}
