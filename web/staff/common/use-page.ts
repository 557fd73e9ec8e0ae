import { queryOptions } from '@tanstack/react-query'
import { useTableQuery } from '../../shared/api/use-table-query.ts'
import { useAddressValues } from '../../shared/routing/address-values.ts'
import { ask } from './ask.ts'

const LIMIT = 50

export type ListProps<Data> = ReturnType<typeof usePage<Data>>

/** One page of a list of a staff endpoint, by the offset in the address, with the props of its table. */
export function usePage<Data>(endpoint: string, query: Record<string, string>) {
  const { offset, setOffset } = useAddressValues()
  const listing = { ...query, limit: LIMIT, offset }
  const { data, table } = useTableQuery(
    queryOptions({ queryKey: ['staff', endpoint, listing], queryFn: () => ask<Data>(endpoint, listing) }),
  )
  return { page: data, offset, limit: LIMIT, onPage: setOffset, ...table }
}
