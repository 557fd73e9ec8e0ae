export type Page = {
  offset: number
  limit: number
  /** The rows on this page. */
  count: number
  /** Undefined: the service does not count. */
  total?: number | undefined
  hasMore: boolean
}

type PagingProps = { page: Page; onPage: (offset: number) => void }

export function Paging({ page, onPage }: PagingProps) {
  const { offset, limit, count, total, hasMore } = page
  return (
    <nav className="paging" aria-label="Pages">
      <p aria-live="polite">
        {count === 0 ? 'No more rows' : `${number(offset + 1)} to ${number(offset + count)}`}
        {total !== undefined && ` of ${number(total)}`}
      </p>
      <button
        type="button"
        className="button button-quiet"
        disabled={offset === 0}
        onClick={() => onPage(Math.max(0, offset - limit))}
      >
        Previous
      </button>
      <button type="button" className="button button-quiet" disabled={!hasMore} onClick={() => onPage(offset + limit)}>
        Next
      </button>
    </nav>
  )
}

function number(value: number): string {
  return value.toLocaleString()
}
