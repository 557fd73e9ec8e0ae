import { keepPreviousData, type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'

/** The number of rows that the tables ask the service for. */
export const ROWS_PER_PAGE = 50

/** A query for the rows of a `DataTable`, with the props that follow from it. The rows stay while the next ones load. */
export function useTableQuery<Data, Key extends QueryKey>(options: UseQueryOptions<Data, Error, Data, Key>) {
  const { data, error, refetch, isPlaceholderData } = useQuery({ ...options, placeholderData: keepPreviousData })
  return { data, table: { error, retry: refetch, isUpdating: isPlaceholderData } }
}
