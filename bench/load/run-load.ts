import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Workplace } from '../workplace.ts'
import type { LoadPlan, LoadResult } from './plan.ts'

const GENERATOR = fileURLToPath(new URL('./generator.ts', import.meta.url))

/** Runs a plan in a generator process. */
export async function runLoad(workplace: Workplace, plan: LoadPlan): Promise<LoadResult> {
  const generator = workplace.owns(fork(GENERATOR, { serialization: 'advanced' }))
  generator.send(plan)
  const exit = once(generator, 'exit').then(([code]) => {
    throw new Error(`The load generator ended early, with ${code}`)
  })
  exit.catch(() => {})
  const [result] = (await Promise.race([once(generator, 'message'), exit])) as [LoadResult]
  return result
}

/** @throws Error for an unexpected answer, because a rate with errors has no meaning */
export function assertAllExpected(name: string, { answers, others }: LoadResult): void {
  const wrong = Object.entries(others).map(([what, count]) => `${count} × ${what}`)
  if (answers === 0) wrong.push('no expected answer')
  if (wrong.length > 0) throw new Error(`${name} did not answer as expected: ${wrong.join(', ')}`)
}
