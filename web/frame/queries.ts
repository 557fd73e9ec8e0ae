import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { User } from '../../server/core/users/schemas.ts'
import type { ListOrganizationsResponse } from '../../server/features/staff/organizations/schemas.ts'
import { request } from '../shared/api/request.ts'
import { isId } from '../shared/format/is-id.ts'

type FoundUsers = { users: Static<typeof User>[] }
type FoundOrganizations = Static<typeof ListOrganizationsResponse>

const LIMIT = '8'

/** Users by a part of the name or the email address, or by id. For staff. */
export const foundUsersQuery = (text: string) =>
  queryOptions({
    queryKey: ['found users', text],
    queryFn: () => request<FoundUsers>(`/api/auth/admin/list-users?${new URLSearchParams(search(text))}`),
  })

function search(text: string): Record<string, string> {
  if (isId(text)) return { filterField: 'id', filterValue: text, limit: LIMIT }
  return { searchField: 'any', searchValue: text, limit: LIMIT }
}

/** Organizations by a part of the name or the slug. For staff. */
export const foundOrganizationsQuery = (text: string) =>
  queryOptions({
    queryKey: ['found organizations', text],
    queryFn: async () => {
      const query = new URLSearchParams({ searchField: 'any', searchValue: text, limit: LIMIT })
      const { organizations } = await request<FoundOrganizations>(`/api/auth/admin/list-organizations?${query}`)
      return organizations
    },
  })
