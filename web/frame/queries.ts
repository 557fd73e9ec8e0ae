import { queryOptions } from '@tanstack/react-query'
import { request } from '../shared/api/request.ts'

type FoundUsers = { users: { id: string; name: string; email: string }[] }

const LIMIT = '8'

/** Users by a part of the name or the email address, or by id. For staff. */
export const foundUsersQuery = (text: string) =>
  queryOptions({
    queryKey: ['found users', text],
    queryFn: () => request<FoundUsers>(`/api/auth/admin/list-users?${new URLSearchParams(search(text))}`),
  })

function search(text: string): Record<string, string> {
  if (text.startsWith('usr_')) return { filterField: 'id', filterValue: text, limit: LIMIT }
  return { searchField: 'any', searchValue: text, limit: LIMIT }
}
