import { ROWS_PER_PAGE } from '../api/use-table-query.ts'
import { useAddressValues } from './address-values.ts'

export type Sort = { by: string; direction: 'asc' | 'desc' }

/** The search, order and page of a table. They are in the address, so a reload, Back and a copied link show the same rows. */
export function useTableAddress(usualSort: Sort) {
  const { get, set, offset, setOffset } = useAddressValues()
  const by = get('sort') || usualSort.by
  const direction = readDirection(get('direction')) ?? usualSort.direction
  const limit = ROWS_PER_PAGE
  return {
    search: get('search'),
    filter: get,
    setSearch: (search: string) => set({ search }, true),
    setFilter: (name: string, value: string) => set({ [name]: value }),
    /** The order and the page, for the query. */
    listing: { sortBy: by, sortDirection: direction, limit, offset },
    /** The order and the page, for a `DataTable`. `total` is the number of rows on all pages. */
    propsFor: (total: number | undefined) => ({
      sort: { by, direction },
      onSort: (sort: Sort) => set({ sort: sort.by, direction: sort.direction }),
      page: { offset, limit, total },
      onPage: setOffset,
    }),
  }
}

function readDirection(direction: string): Sort['direction'] | undefined {
  return direction === 'asc' || direction === 'desc' ? direction : undefined
}
