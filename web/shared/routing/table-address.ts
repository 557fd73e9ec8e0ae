import { useAddressValues } from './address-values.ts'

export type Sort = { by: string; direction: 'asc' | 'desc' }

type TableAddress = {
  search: string
  /** The value of a filter, or ''. */
  filter: (name: string) => string
  sort: Sort
  offset: number
  setSearch: (search: string) => void
  setFilter: (name: string, value: string) => void
  setSort: (sort: Sort) => void
  setOffset: (offset: number) => void
}

/** The search, order and page of a table. They are in the address, so a reload, Back and a copied link show the same rows. */
export function useTableAddress(usualSort: Sort): TableAddress {
  const { get, set, offset, setOffset } = useAddressValues()
  return {
    search: get('search'),
    filter: get,
    sort: { by: get('sort') || usualSort.by, direction: readDirection(get('direction')) ?? usualSort.direction },
    offset,
    setSearch: (search) => set({ search }, true),
    setFilter: (name, value) => set({ [name]: value }),
    setSort: ({ by, direction }) => set({ sort: by, direction }),
    setOffset,
  }
}

function readDirection(direction: string): Sort['direction'] | undefined {
  return direction === 'asc' || direction === 'desc' ? direction : undefined
}
