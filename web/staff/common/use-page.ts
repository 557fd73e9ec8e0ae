import { queryOptions } from '@tanstack/react-query'
import { ROWS_PER_PAGE, useTableQuery } from '../../shared/api/use-table-query.ts'
import { useAddressValues } from '../../shared/routing/address-values.ts'
import { getStaffEndpoint } from './staff-endpoints.ts'

const CHANGING_MILLISECONDS = 3_000

export type ListProps<Data> = ReturnType<typeof usePage<Data>>

/**
 * One page of a list of a staff endpoint, by the offset in the address, with the props of its table. While rows are about
 * to change, the table asks the service again and again.
 */
export function usePage<Data>(
  endpoint: string,
  query: Record<string, string>,
  isChanging: (page: Data) => boolean = () => false,
) {
  const { offset, setOffset } = useAddressValues()
  const listing = { ...query, limit: ROWS_PER_PAGE, offset }
  const { data, table } = useTableQuery(
    queryOptions({
      queryKey: ['staff', endpoint, listing],
      queryFn: () => getStaffEndpoint<Data>(endpoint, listing),
      refetchInterval: ({ state: { data } }) => data !== undefined && isChanging(data) && CHANGING_MILLISECONDS,
    }),
  )
  return { page: data, offset, limit: ROWS_PER_PAGE, onPage: setOffset, ...table }
}
