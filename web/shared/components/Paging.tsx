import { number } from '../format/number.ts'

export type Page = {
  offset: number
  limit: number
  /** The number of rows on all pages, if the service counts them. */
  total?: number | undefined
  /** If the service does not count the rows: whether there is a next page. */
  hasMore?: boolean | undefined
}

type PagingProps = {
  page: Page
  /** Undefined while rows load. */
  rowCount: number | undefined
  onPage: (offset: number) => void
}

/** For example: 51 to 100 of 1,235. */
export function PageRange({ page, rowCount }: PagingProps) {
  return rowCount !== undefined && <p className="page-range">{describe(page, rowCount)}</p>
}

export function PageButtons({ page, rowCount, onPage }: PagingProps) {
  const { offset, limit, total } = page
  const hasMore = page.hasMore ?? offset + (rowCount ?? 0) < (total ?? 0)
  return (
    <nav className="page-buttons" aria-label="Pages">
      <PageButton isOff={offset === 0} onPress={() => onPage(Math.max(0, Math.min(offset - limit, lastOffset(page))))}>
        Previous
      </PageButton>
      <PageButton isOff={!hasMore} onPress={() => onPage(offset + limit)}>
        Next
      </PageButton>
    </nav>
  )
}

function describe({ offset, total }: Page, rowCount: number): string {
  if (rowCount === 0) return total === undefined ? 'No more rows' : `No more rows after ${number(total)}`
  const shown = `${number(offset + 1)} to ${number(offset + rowCount)}`
  return total === undefined ? shown : `${shown} of ${number(total)}`
}

/** Where the last page begins. After deletions, the present page may be behind it. */
function lastOffset({ limit, total = Number.POSITIVE_INFINITY }: Page): number {
  return Math.floor((total - 1) / limit) * limit
}

type PageButtonProps = { isOff: boolean; onPress: () => void; children: string }

/** It is not `disabled`: the last page would take the keyboard focus away from the button that opened it. */
function PageButton({ isOff, onPress, children }: PageButtonProps) {
  return (
    <button
      type="button"
      className="button button-quiet"
      aria-disabled={isOff}
      onClick={() => {
        if (!isOff) onPress()
      }}
    >
      {children}
    </button>
  )
}
