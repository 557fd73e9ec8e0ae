export type Page = {
  offset: number
  limit: number
  /** The number of rows on all pages, if the service counts them. */
  total?: number | undefined
  /** If the service does not count the rows: whether there is a next page. */
  hasMore?: boolean | undefined
}

type PagingProps = { page: Page; rowCount: number; onPage: (offset: number) => void }

export function Paging({ page, rowCount, onPage }: PagingProps) {
  const { offset, limit, total } = page
  const hasMore = page.hasMore ?? offset + rowCount < (total ?? 0)
  return (
    <nav className="paging" aria-label="Pages">
      <p aria-live="polite">
        {rowCount === 0 ? 'No more rows' : `${number(offset + 1)} to ${number(offset + rowCount)}`}
        {total !== undefined && ` of ${number(total)}`}
      </p>
      <PageButton isOff={offset === 0} onPress={() => onPage(Math.max(0, offset - limit))}>
        Previous
      </PageButton>
      <PageButton isOff={!hasMore} onPress={() => onPage(offset + limit)}>
        Next
      </PageButton>
    </nav>
  )
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

function number(value: number): string {
  return value.toLocaleString()
}
