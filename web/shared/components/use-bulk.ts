import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { refreshPages } from '../api/queries.ts'
import { RequestFailed } from '../api/request-failed.ts'
import { failureSentence } from '../format/failure-sentence.ts'
import { isolated } from '../format/isolated.ts'
import { number } from '../format/number.ts'
import { showProblem } from '../routing/page-state.ts'

/** A row that was refused. */
export type BulkFailure = { key: string; name: string; failure: RequestFailed }

export type Bulk<Row> = ReturnType<typeof useBulk<Row>>

type Work<Row> = { rows: Row[]; change: (row: Row) => Promise<unknown> }

/** Changes several rows, one after the other. A refused row stays selected, and its reason is listed. */
export function useBulk<Row>(keyOf: (row: Row) => string, nameOf: (row: Row) => string) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [failures, setFailures] = useState<BulkFailure[]>([])
  const [doneCount, setDoneCount] = useState(0)
  const [rowCount, setRowCount] = useState(0)
  const [error, setError] = useState<Error>()

  // State alone does not stop a change that begins before the next render.
  const isBusy = useRef(false)
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])

  const { mutateAsync, isPending: isRunning } = useMutation({
    mutationFn: async ({ rows, change }: Work<Row>) => {
      setFailures([])
      setDoneCount(0)
      setRowCount(rows.length)
      setError(undefined)
      const refused: BulkFailure[] = []
      for (const row of rows) {
        const key = keyOf(row)
        try {
          await change(row)
          setSelected((current) => current.difference(new Set([key])))
          setDoneCount((count) => count + 1)
        } catch (error) {
          const failure = RequestFailed.from(error)
          if (concernsEveryRow(failure)) throw failure
          refused.push({ key, name: nameOf(row), failure })
          setFailures([...refused])
        }
      }
      if (!isShown.current && refused.length > 0) showProblem(describeRefused(refused))
    },
    onSettled: refreshPages,
  })

  /** A second change would mix its counts and refusals with those of the first. */
  async function runAsync(work: Work<Row>): Promise<void> {
    if (isBusy.current) throw new RequestFailed({ status: 0, code: 'BULK_RUNNING', message: '' })
    isBusy.current = true
    try {
      await mutateAsync(work)
    } finally {
      isBusy.current = false
    }
  }

  /** For actions that show no error themselves. */
  const run = (work: Work<Row>) => runAsync(work).catch(setError)

  const leftCount = rowCount - doneCount - failures.length
  return { selected, setSelected, failures, doneCount, leftCount, run, runAsync, isRunning, error }
}

/**
 * Whether the bulk change must stop: the next rows would be refused as well, or the page would ask for the password
 * again. A limit with a field is the limit of one recipient.
 */
function concernsEveryRow({ status, code, field }: RequestFailed): boolean {
  if (status === 429) return field === undefined
  return status === 0 || status === 401 || status === 409 || status >= 500 || code === 'SESSION_NOT_FRESH'
}

/** For a user who has left the page with the list of all reasons. */
function describeRefused(refused: BulkFailure[]): string {
  const [{ name, failure }] = refused as [BulkFailure]
  const others = refused.length > 1 ? ` Also refused: ${number(refused.length - 1)} more.` : ''
  return `${isolated(name)}: ${failureSentence(failure)}${others}`
}
