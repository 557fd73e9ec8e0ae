import type { Call } from './call.ts'
import type { Scene } from './scene.ts'
import { sendTimed } from './timed-request.ts'

const ROUNDS = 3
const WARM_UPS = 3
/** Fewer changes, because each needs another user, and preparing one takes longer than the change. */
const REQUESTS_PER_ROUND = { GET: 34, POST: 10 }

export interface CallResult {
  name: string
  /** One for each population, from the smallest on. */
  sizes: { users: number; p50: number; p99: number }[]
  /** Why the call could not be measured. */
  problem?: string
}

/** The populations take turns: other work on the machine then strikes all of them alike. */
export interface EngineResults {
  engine: string
  results: CallResult[]
}

export async function measureCall(name: string, call: Call, scenes: Scene[], share = 1): Promise<CallResult> {
  const count = Math.max(1, Math.round(share * REQUESTS_PER_ROUND[name.startsWith('GET') ? 'GET' : 'POST']))
  const times = scenes.map((): number[] => [])
  try {
    for (const scene of scenes) await measureSome(name, call, scene, WARM_UPS)
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [index, scene] of scenes.entries())
        times[index]!.push(...(await measureSome(name, call, scene, count)))
  } catch (error) {
    return { name, sizes: [], problem: (error as Error).message }
  }
  return { name, sizes: scenes.map(({ users }, index) => ({ users, ...percentilesOf(times[index]!) })) }
}

/** One request at a time. */
async function measureSome(name: string, call: Call, scene: Scene, count: number): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < count; index += 1) {
    const sent = await call(scene)
    times.push(await sendTimed(scene.service.baseUrl, name, sent))
  }
  return times
}

function percentilesOf(times: number[]): { p50: number; p99: number } {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
  return { p50: at(0.5), p99: at(0.99) }
}
