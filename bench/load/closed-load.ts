import { type Bench, describeLoad } from '../bench.ts'
import type { RunningServer } from '../server-process.ts'
import type { LoadResult, PlannedRequest } from './plan.ts'
import { assertAllExpected, runLoad } from './run-load.ts'

/**
 * Measures the rate of a server when each connection sends its next request after the answer.
 * @throws Error when an answer was not the expected one
 */
export async function closedLoad(
  { workplace, pace, progress }: Pick<Bench, 'workplace' | 'pace' | 'progress'>,
  label: string,
  { name, port, processId }: Pick<RunningServer, 'name' | 'port' | 'processId'>,
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

/** Repeats a closed load. Each run goes on with the request after the last one of the run before. */
export function closedLoads(
  bench: Pick<Bench, 'workplace' | 'pace' | 'progress'>,
  label: string,
  server: Pick<RunningServer, 'name' | 'port' | 'processId'>,
  requests: PlannedRequest[],
  connections: number,
): () => Promise<LoadResult> {
  let sent = 0
  return async () => {
    const first = sent % requests.length
    const inTurn = [...requests.slice(first), ...requests.slice(0, first)]
    const result = await closedLoad(bench, label, server, inTurn, connections)
    sent += result.sent
    return result
  }
}
