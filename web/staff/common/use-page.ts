import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useAddressValues } from '../../shared/routing/address-values.ts'
import { ask } from './ask.ts'

const LIMIT = 50

/** One page of a list of a staff endpoint, by the offset in the address, with the props of its table. */
export function usePage<Data>(endpoint: string, query: Record<string, string>) {
  const address = useAddressValues()
  const offset = Math.max(0, Math.trunc(Number(address.get('offset'))) || 0)
  const listing = { ...query, limit: LIMIT, offset }
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...queryOptions({ queryKey: ['staff', endpoint, listing], queryFn: () => ask<Data>(endpoint, listing) }),
    placeholderData: keepPreviousData,
  })
  return {
    page: data,
    error,
    retry: refetch,
    isUpdating: isPlaceholderData,
    offset,
    limit: LIMIT,
    onPage: (next: number) => address.set({ offset: next === 0 ? '' : String(next) }),
  }
}
