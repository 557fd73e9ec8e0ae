import { useSearchParams } from 'wouter'
import type { Sort } from '../components/DataTable.tsx'

export type TableAddress = {
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
  const [parameters, setParameters] = useSearchParams()

  function change(changes: Record<string, string>, isTyping = false) {
    setParameters(
      (current) => {
        const next = new URLSearchParams(current)
        for (const [name, value] of Object.entries(changes)) {
          if (value === '') next.delete(name)
          else next.set(name, value)
        }
        return next
      },
      { replace: isTyping },
    )
  }

  return {
    search: parameters.get('search') ?? '',
    filter: (name) => parameters.get(name) ?? '',
    sort: {
      by: parameters.get('sort') ?? usualSort.by,
      direction: readDirection(parameters) ?? usualSort.direction,
    },
    offset: Math.max(0, Math.trunc(Number(parameters.get('offset'))) || 0),
    setSearch: (search) => change({ search, offset: '' }, true),
    setFilter: (name, value) => change({ [name]: value, offset: '' }),
    setSort: ({ by, direction }) => change({ sort: by, direction, offset: '' }),
    setOffset: (offset) => change({ offset: offset === 0 ? '' : String(offset) }),
  }
}

function readDirection(parameters: URLSearchParams): Sort['direction'] | undefined {
  const direction = parameters.get('direction')
  return direction === 'asc' || direction === 'desc' ? direction : undefined
}
