import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { formatNumber } from '../bench.ts'
import type { Finding } from '../finding.ts'
import type { Calls } from './call.ts'
import { ALL_CALLS } from './calls/all-calls.ts'
import { openDatabases } from './databases.ts'
import { growthOf, toDocument } from './document.ts'
import { type CallResult, type EngineResults, measureCall } from './measure-calls.ts'
import { plotResults } from './plot.ts'
import { readOnce } from './read-once.ts'
import { createScene } from './scene.ts'
import { type MeasuredService, startMeasured } from './service.ts'

/** How much longer a request may take in the largest population than in the smallest. */
const GROWTH_MAXIMUM = 2

/** Every endpoint with populations of several sizes, on both engines. Writes a table, the numbers and a plot. */
export async function measureEndpoints(bench: Bench): Promise<Finding[]> {
  const all: EngineResults[] = []
  for (const engine of bench.scale.engines) all.push({ engine, results: await measureEngine(bench, engine) })
  const { out } = bench.scale
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'endpoints.json'), `${JSON.stringify(all, null, 2)}\n`)
  writeFileSync(join(out, 'endpoints.md'), toDocument(all, bench.describeMachine()))
  writeFileSync(join(out, 'endpoints.svg'), plotResults(all, GROWTH_MAXIMUM))
  return all.flatMap(({ engine, results }) => toFindings(engine, results))
}

async function measureEngine(bench: Bench, engine: string): Promise<CallResult[]> {
  const databases = await openDatabases(bench, engine)
  const urls: string[] = []
  for (const users of bench.scale.sizes) urls.push(await databases.find(users))
  const services: MeasuredService[] = []
  for (const url of urls) services.push(await startMeasured(bench.workplace, url))
  const scenes = services.map((service, index) => createScene(service, bench.scale.sizes[index]!))
  const measure = async (names: string[]) => {
    for (const url of urls) await readOnce(url)
    const results = new Map<string, CallResult>()
    for (const name of names) {
      const result = await measureCall(name, ALL_CALLS[name as keyof Calls]!, scenes, bench.scale.share)
      results.set(name, result)
      bench.progress(`${engine}: ${describe(result)}`)
    }
    return results
  }
  const first = await measure(Object.keys(ALL_CALLS))
  // Again, because other work on the machine slows single calls down, and takes pages out of memory.
  const again = await measure([...first.values()].filter(isDoubtful).map(({ name }) => name))
  for (const service of services) await service.stop()
  await databases.stop()
  return [...new Map([...first, ...again]).values()]
}

function isDoubtful(result: CallResult): boolean {
  return result.problem !== undefined || isBeyondBar(result)
}

function isBeyondBar(result: CallResult): boolean {
  return growthOf(result) > GROWTH_MAXIMUM
}

function describe(result: CallResult): string {
  const times = result.sizes.map(({ p50, p99 }) => `${formatNumber(p50)} (${formatNumber(p99)})`).join(', ')
  return `${result.name}: ${result.problem ?? `${times} ms, ${formatNumber(growthOf(result))} ×`}`
}

/** One for all endpoints below the bar, and one for each that is not. */
function toFindings(engine: string, results: CallResult[]): Finding[] {
  const measured = results.filter(({ problem }) => problem === undefined)
  const problems = results.length - measured.length
  const [slowest, ...rest] = measured.toSorted((one, other) => growthOf(other) - growthOf(one))
  if (!slowest) throw new Error(`No endpoint could be measured on ${engine}: ${results[0]?.problem}`)
  const above = [slowest, ...rest.filter(isBeyondBar)]
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
