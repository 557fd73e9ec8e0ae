import { Type } from 'typebox'
import type { Context } from '../../../core/context.ts'
import { User } from '../../../core/users/schemas.ts'
import { toUser } from '../../../core/users/wire.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { CountedPageFields } from '../../../platform/http/paging.ts'
import { responses } from '../../../platform/http/schemas.ts'
import { listUsers } from './list-users.ts'
import { ListUsersQuery, parseListUsersQuery } from './parse-query.ts'

const UserList = Type.Object({ users: Type.Array(User), ...CountedPageFields })

export function registerListUsersRoute(app: HttpApp, context: Context): void {
  app.get(
    '/api/auth/admin/list-users',
    {
      config: { access: { staff: 'user.list' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'List users: searched, filtered, sorted, a page at a time',
        querystring: ListUsersQuery,
        response: responses(UserList),
      },
    },
    async (request) => {
      const listing = parseListUsersQuery(request.query)
      const now = context.now()
      const { users, total } = await listUsers(context, listing)
      const { limit, offset } = listing
      return { users: users.map((user) => toUser(user, now)), total, limit, offset }
    },
  )
}
