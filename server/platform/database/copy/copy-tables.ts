import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { isUnavailable } from '../unavailable.ts'
import { CopyError } from './copy-error.ts'
import { advance, type CopyPosition, getPosition, startOver } from './copy-state.ts'
import { COPY_STEPS, type CopyStep } from './copy-steps.ts'
import { countSource, readSource } from './read-source.ts'
import { countAll, deleteRows, describeRow, insertRows, keyOf, type Row, sum, type Value } from './rows.ts'

export type OnProgress = (done: number, total: number) => void

/** A killed copy continues after its last batch. @param source a consistent view. @param target after `beginCopy` */
export async function copyTables(
  source: Kysely<Tables>,
  target: Kysely<Tables>,
  onProgress: OnProgress,
): Promise<void> {
  let position = await getPosition(target)
  if (position.step === null) position = await empty(target)
  const first = COPY_STEPS.findIndex(({ name }) => name === position.step)
  if (first === -1) throw new CopyError('Another version began this copy. Finish it with that version.')
  const total = sum(await countSource(source))
  let done = await countAll(target)
  for (const step of COPY_STEPS.slice(first)) {
    let lastKey = step.name === position.step ? position.lastKey : null
    for (;;) {
      const rows = await readSource(source, step, lastKey === null ? undefined : (JSON.parse(lastKey) as Value[]))
      const last = rows.at(-1)
      if (!last) break
      lastKey = JSON.stringify(keyOf(step, last))
      const next = { step: step.name, lastKey }
      await insertBatch(target, step, rows, position, next)
      position = next
      done += rows.length
      onProgress(done, total)
    }
  }
}

async function empty(target: Kysely<Tables>): Promise<CopyPosition> {
  const start = { step: COPY_STEPS[0].name, lastKey: null }
  await target.transaction().execute(async (transaction) => {
    await advance(transaction, { step: null, lastKey: null }, start)
    for (const step of COPY_STEPS.toReversed()) await deleteRows(transaction, step)
  })
  return start
}

async function insertBatch(
  target: Kysely<Tables>,
  step: CopyStep,
  rows: Row[],
  from: CopyPosition,
  to: CopyPosition,
): Promise<void> {
  try {
    await target.transaction().execute(async (transaction) => {
      await advance(transaction, from, to)
      await insertRows(transaction, step, rows)
    })
  } catch (error) {
    if (error instanceof CopyError || isUnavailable(error)) throw error
    const [first = {}, last = {}] = [rows[0], rows.at(-1)]
    const range = `from ${describeRow(step, first)} to ${describeRow(step, last)}`
    // The source may have gained rows: one of these may refer to a new row of a table that is already copied.
    await startOver(target)
    throw new CopyError(
      `The target can't store rows of ${step.table}, ${range}: ${(error as Error).message}. Correct the rows, unless the source changed since the copy began; the next run starts over.`,
      { cause: error },
    )
  }
}
