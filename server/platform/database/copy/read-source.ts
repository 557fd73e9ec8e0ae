import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { CopyError } from './copy-error.ts'
import { COPY_STEPS, type CopyStep } from './copy-steps.ts'
import { countSteps, describeKey, findUncopyable, type Row, readBatch, type Value } from './rows.ts'

/** @throws CopyError that names the source: the commands blame the target for all other errors */
export async function readSource(source: Kysely<Tables>, step: CopyStep, after: Value[] | undefined): Promise<Row[]> {
  const place = `${step.table}, ${after === undefined ? 'from the first row on' : `after ${describeKey(step, after)}`}`
  const rows = await readBatch(source, step, after).catch((error: Error) => {
    if (isUnsafeIntegerError(error)) throw unsafeInteger(place, error)
    throw unreadable(place, error)
  })
  // The client of PostgreSQL rounds such integers, so the verification would find the rounded copy equal.
  if (rows.some((row) => Object.values(row).some(isUnsafe))) throw unsafeInteger(place)
  if (rows.some((row) => Object.values(row).some(isBinary))) throw binaryData(place)
  return rows
}

/** For a backup of SQLite pages, which reads no rows: a restore would refuse such a row. @throws CopyError */
export async function assertCopyable(source: Kysely<Tables>): Promise<void> {
  for (const step of COPY_STEPS) {
    const found = await findUncopyable(source, step)
    if (!found) continue
    const place = `${step.table}, row ${describeKey(step, found.key)}`
    throw found.isBinary ? binaryData(place) : unsafeInteger(place)
  }
}

/** @throws CopyError */
export function countSource(source: Kysely<Tables>): Promise<number[]> {
  return countSteps(source).catch((error) => {
    throw unreadable('the number of rows', error)
  })
}

/** Whether node:sqlite refused an integer that JavaScript can't represent exactly. */
export function isUnsafeIntegerError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE'
}

function unreadable(place: string, cause: Error): CopyError {
  return new CopyError(
    `The source can't be read (${place}): ${cause.message}. Check its disk or its server, and run the command again.`,
    { cause },
  )
}

function isUnsafe(value: Value): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
}

function unsafeInteger(place: string, cause?: Error): CopyError {
  return new CopyError(
    `The source has an integer of 2^53 or more, which can't be copied (${place}). Correct the row, and run the command again.`,
    { cause },
  )
}

/** In SQLite, a column may have a value of any type. */
function isBinary(value: unknown): boolean {
  return value instanceof Uint8Array
}

function binaryData(place: string): CopyError {
  return new CopyError(
    `The source has binary data in a column for text or numbers, which can't be copied (${place}). Correct the row, and run the command again.`,
  )
}
