import { type Bench, describeLoad } from '../bench.ts'
import type { RunningServer } from '../server-process.ts'
import type { LoadResult, PlannedRequest } from './plan.ts'
import { assertAllExpected, runLoad } from './run-load.ts'

/**
 * Measures the rate of a server when each connection sends its next request after the answer.
 * @throws Error when an answer was not the expected one
 */
export async function closedLoad(
  { workplace, pace, progress }: Bench,
  label: string,
  { name, port, processId }: RunningServer,
  requests: PlannedRequest[],
  connections: number,
): Promise<LoadResult> {
  const { warmUpMilliseconds, durationMilliseconds } = pace
  const result = await runLoad(workplace, {
    port,
    requests,
    connections,
    warmUpMilliseconds,
    durationMilliseconds,
    serverProcessId: processId,
  })
  progress(`${label}: ${describeLoad(result)}`)
  assertAllExpected(name, result)
  return result
}
