import { Fragment, type ReactNode } from 'react'
import type { Sort } from '../routing/table-address.ts'
import { breakAfterAt } from './break-after-at.tsx'
import { DataTableHead } from './DataTableHead.tsx'
import { FailureNotice } from './FailureNotice.tsx'
import { type Page, PageButtons, PageRange } from './Paging.tsx'
import { skeletonKeys } from './Skeleton.tsx'
import { SortField } from './SortField.tsx'

const SKELETON_ROWS_MAXIMUM = 8

export type Column<Row> = {
  /** The name that sorting uses. */
  key: string
  label: string
  cell: (row: Row) => ReactNode
  isSortable?: boolean
  /** The cell stays on one line. For dates, numbers and buttons. */
  isShort?: boolean
}

/** Checkboxes before the rows. */
type Selection<Row> = {
  /** Keys of rows. */
  selected: ReadonlySet<string>
  onChange: (selected: ReadonlySet<string>) => void
  nameOf: (row: Row) => string
  canSelect?: (row: Row) => boolean
}

type DataTableProps<Row> = {
  /** Names the table for screen readers. */
  caption: string
  columns: Column<Row>[]
  /** Undefined while the first rows load. */
  rows: Row[] | undefined
  rowKey: (row: Row) => string
  error: unknown
  retry: () => void
  /** New rows are loading while the old ones are shown. */
  isUpdating?: boolean
  sort?: Sort
  onSort?: (sort: Sort) => void
  page?: Page
  onPage?: (offset: number) => void
  selection?: Selection<Row>
  /** Shown below a row, over all columns. */
  details?: (row: Row) => ReactNode
  /** Replaces the rows when there are none. */
  empty: ReactNode
}

/** A table whose rows become cards on a narrow screen. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { error, retry, isUpdating = false, page, onPage, empty } = props
  // `empty` may be about a new search, whose rows are still loading.
  const rows = isUpdating && props.rows?.length === 0 ? undefined : props.rows
  const isEmpty = rows?.length === 0 && (page?.offset ?? 0) === 0
  const hasTable = !isEmpty && !(error && rows === undefined)
  const isShownEmpty = isEmpty && !error
  const pages = hasTable && page && onPage && { page, rowCount: rows?.length, onPage }
  return (
    <div className="data-table">
      {Boolean(error) && <FailureNotice error={error} retry={retry} />}
      {hasTable && <Table {...props} rows={rows} />}
      <div className={pages || isShownEmpty ? 'table-end' : 'empty-region'}>
        {/* One region for all states: screen readers announce only a change of a region that was there before. */}
        <div role="status">
          {isShownEmpty && empty}
          {/* The former rows, which stay until the new ones have loaded, are not in the new range. */}
          {pages && !isUpdating && <PageRange {...pages} />}
        </div>
        {pages && <PageButtons {...pages} />}
      </div>
    </div>
  )
}

function Table<Row>(props: DataTableProps<Row>) {
  const { caption, rows, isUpdating = false, sort, onSort } = props
  const columns = withCheckboxes(props)
  return (
    <>
      <SortField columns={columns} sort={sort} onSort={onSort} />
      <table aria-busy={rows === undefined || isUpdating}>
        <caption className="visually-hidden">{caption}</caption>
        <DataTableHead columns={columns} sort={sort} onSort={onSort} />
        <tbody>
          {rows ? (
            <Rows columns={columns} rows={rows} rowKey={props.rowKey} details={props.details} />
          ) : (
            <SkeletonRows columns={columns} page={props.page} />
          )}
        </tbody>
      </table>
    </>
  )
}

type RowsProps<Row> = {
  columns: Column<Row>[]
  rows: Row[]
  rowKey: (row: Row) => string
  details: ((row: Row) => ReactNode) | undefined
}

function Rows<Row>({ columns, rows, rowKey, details }: RowsProps<Row>) {
  return rows.map((row) => (
    <Fragment key={rowKey(row)}>
      <Cells columns={columns} row={row} />
      <Details columnCount={columns.length}>{details?.(row)}</Details>
    </Fragment>
  ))
}

function Details({ columnCount, children }: { columnCount: number; children: ReactNode }) {
  if (!children) return null
  return (
    <tr className="row-details">
      <td colSpan={columnCount}>{children}</td>
    </tr>
  )
}

function Cells<Row>({ columns, row }: { columns: Column<Row>[]; row: Row }) {
  return (
    <tr>
      {columns.map(({ key, label, cell, isShort }) => (
        <td key={key} data-label={label} className={isShort ? 'cell-short' : undefined}>
          {/* One element: a card places it beside the label. */}
          <div>{breakAfterAt(cell(row))}</div>
        </td>
      ))}
    </tr>
  )
}

function SkeletonRows<Row>({ columns, page }: { columns: Column<Row>[]; page: Page | undefined }) {
  const rows = Math.min(page?.limit ?? SKELETON_ROWS_MAXIMUM, SKELETON_ROWS_MAXIMUM)
  return skeletonKeys(rows).map((row) => (
    <tr key={row}>
      {columns.map(({ key, label }) => (
        <td key={key} data-label={label}>
          <span className="skeleton-line" aria-hidden="true" />
        </td>
      ))}
    </tr>
  ))
}

function withCheckboxes<Row>({ columns, selection, rowKey }: DataTableProps<Row>): Column<Row>[] {
  if (selection === undefined) return columns
  const { selected, onChange, nameOf, canSelect = () => true } = selection
  const checkbox = (row: Row) =>
    canSelect(row) && (
      <input
        type="checkbox"
        aria-label={`Select ${nameOf(row)}`}
        checked={selected.has(rowKey(row))}
        onChange={() => onChange(selected.symmetricDifference(new Set([rowKey(row)])))}
      />
    )
  return [{ key: 'selection', label: 'Select', cell: checkbox, isShort: true }, ...columns]
}
