import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Link } from 'wouter'
import { failureSentence } from '../format/failure-sentence.ts'
import { FailureNotice } from './FailureNotice.tsx'
import { Notice } from './Notice.tsx'
import type { BulkFailure } from './use-bulk.ts'

type BulkBarProps = {
  /** The word for the rows, in the plural. */
  things: string
  /** Whether the page has rows that can be selected. Also true while the rows load. */
  canSelect: boolean
  selectedCount: number
  bulk: { doneCount: number; leftCount: number; isRunning: boolean; failures: BulkFailure[]; error: Error | undefined }
  /** The page of a refused row, by its key. */
  linkOf?: (key: string) => string
  /** Undefined while the rows load, also if the rows of another page or search are still shown. */
  onSelectAll: (() => void) | undefined
  onClear: () => void
  /** The actions on the selected rows. */
  children: ReactNode
}

/** Above a table with checkboxes: the number of selected rows, and the actions on them. */
export function BulkBar(props: BulkBarProps) {
  const { things, canSelect, selectedCount, bulk, linkOf, onSelectAll, onClear, children } = props
  const isAnySelected = selectedCount > 0
  const wasAnySelected = useRef(isAnySelected)
  const selector = useRef<HTMLButtonElement>(null)

  // The actions leave with the last selected row, and one of them had the focus.
  useLayoutEffect(() => {
    if (wasAnySelected.current && !isAnySelected && document.activeElement === document.body) selector.current?.focus()
    wasAnySelected.current = isAnySelected
  }, [isAnySelected])

  const hasResult = bulk.doneCount > 0 || bulk.failures.length > 0 || bulk.error !== undefined
  if (!canSelect && !isAnySelected && !bulk.isRunning && !hasResult) return null
  return (
    <div className="bulk-bar">
      <div className="buttons">
        <p role="status">{describe({ things, selectedCount, bulk })}</p>
        <button
          ref={selector}
          type="button"
          className="text-button"
          aria-disabled={!isAnySelected && onSelectAll === undefined}
          onClick={isAnySelected ? onClear : onSelectAll}
        >
          {isAnySelected ? 'Select none' : 'Select all on this page'}
        </button>
        {isAnySelected && children}
      </div>
      {bulk.error && <FailureNotice error={bulk.error} />}
      {bulk.failures.length > 0 && <Reasons failures={bulk.failures} linkOf={linkOf} />}
    </div>
  )
}

function describe({ things, selectedCount, bulk }: Pick<BulkBarProps, 'things' | 'selectedCount' | 'bulk'>): string {
  const { doneCount, leftCount, failures, isRunning } = bulk
  if (isRunning) return `${doneCount} done, ${leftCount} to go…`
  const parts = failures.length > 0 ? [`${doneCount} done, ${failures.length} refused.`] : []
  if (selectedCount > 0) parts.push(`${selectedCount} selected.`)
  if (parts.length > 0) return parts.join(' ')
  return doneCount > 0 ? `${doneCount} done.` : `Select ${things} to change several at once.`
}

/** A refused row may not be on the page any more, so the reasons are here. */
function Reasons({ failures, linkOf }: { failures: BulkFailure[]; linkOf: BulkBarProps['linkOf'] }) {
  return (
    <Notice kind="problem" isOutcome>
      <ul className="reasons">
        {failures.map(({ key, name, failure }) => (
          <li key={key}>
            {linkOf ? <Link href={linkOf(key)}>{name}</Link> : <strong>{name}</strong>}: {failureSentence(failure)}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
