import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { CopyError } from './copy-error.ts'
import { startOver } from './copy-state.ts'
import { COPY_STEPS, type CopyStep } from './copy-steps.ts'
import type { OnProgress } from './copy-tables.ts'
import { countSource, isUnsafeIntegerError, readSource } from './read-source.ts'
import { countRows, describeRow, keyOf, type Row, readSameRows, sum, type Value } from './rows.ts'

/** Finds rows by key, because the engines sort texts differently. @throws CopyError; the next run starts over */
export async function verifyCopy(
  source: Kysely<Tables>,
  target: Kysely<Tables>,
  onProgress: OnProgress,
): Promise<void> {
  const counts = await countSource(source)
  const total = sum(counts)
  let done = 0
  for (const [index, step] of COPY_STEPS.entries()) {
    const difference = await findDifference(source, target, step, counts[index], (count) => {
      done += count
      onProgress(done, total)
    })
    if (difference === undefined) continue
    await startOver(target)
    throw new CopyError(`${difference}, and run the command again: it starts over.`)
  }
}

/** @returns the difference as a sentence, with the first thing to do */
async function findDifference(
  source: Kysely<Tables>,
  target: Kysely<Tables>,
  step: CopyStep,
  expected: number | undefined,
  onVerified: (count: number) => void,
): Promise<string | undefined> {
  let after: Value[] | undefined
  let count = 0
  for (;;) {
    const rows = await readSource(source, step, after)
    const last = rows.at(-1)
    if (!last) break
    const copies = await readCopies(target, step, rows)
    const byKey = new Map(copies.map((copy) => [nameOf(step, copy), copy]))
    const different = rows.find((row) => !isEqual(row, byKey.get(nameOf(step, row))))
    if (different) return describeChange(`row ${describeRow(step, different)} of ${step.table}`)
    after = keyOf(step, last)
    count += rows.length
    onVerified(rows.length)
  }
  const copied = await countRows(target, step)
  if (copied !== count)
    return describeChange(`${step.name} has ${count} rows in the source, and ${copied} in the target`)
  // The copy and this comparison read the source in the order of an index. The count reads the table.
  if (expected === count) return undefined
  return `${step.name} has ${expected} rows in the source, and ${count} of them in its indexes. Rebuild the indexes of the source (REINDEX DATABASE)`
}

function describeChange(difference: string): string {
  return `The copy differs from the source: ${difference}. The source or the target was changed during the copy. Stop every process that uses one of them`
}

/** A row of the target with an unreadable integer counts as missing: all integers of the source are readable. */
function readCopies(target: Kysely<Tables>, step: CopyStep, rows: Row[]): Promise<Row[]> {
  return readSameRows(target, step, rows).catch((error) => {
    if (isUnsafeIntegerError(error)) return []
    throw error
  })
}

function nameOf(step: CopyStep, row: Row): string {
  return JSON.stringify(keyOf(step, row))
}

function isEqual(row: Row, copy: Row | undefined): boolean {
  if (!copy || Object.keys(copy).length !== Object.keys(row).length) return false
  return Object.entries(row).every(([column, value]) => copy[column] === value)
}
