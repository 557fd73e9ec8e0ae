import { type Bench, describeLoad } from '../bench.ts'
import type { RunningServer } from '../server-process.ts'
import type { LoadResult, PlannedRequest } from './plan.ts'
import { assertAllExpected, runLoad } from './run-load.ts'

/** Enough to keep a server busy, few enough to wait for nothing but it. */
const CONNECTIONS = 16

/**
 * As many requests as a server can answer to connections that each wait for their answer.
 * @throws Error when an answer was not the expected one
 */
export async function closedLoad(
  { workplace, pace, progress }: Bench,
  label: string,
  { name, port, processId }: RunningServer,
  requests: PlannedRequest[],
): Promise<LoadResult> {
  const { warmUpMilliseconds, durationMilliseconds } = pace
  const result = await runLoad(workplace, {
    port,
    requests,
    connections: CONNECTIONS,
    warmUpMilliseconds,
    durationMilliseconds,
    serverProcessId: processId,
  })
  progress(`${label}: ${describeLoad(result)}`)
  assertAllExpected(name, result)
  return result
}
