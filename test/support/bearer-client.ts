import type { Answer } from './client.ts'
import type { Service } from './service.ts'
import type { TestUser } from './users.ts'

/** A client that sends the session token of a user as bearer token, also to another process than the sign-in. */
export function bearerClient(service: Service, { token }: Pick<TestUser, 'token'>) {
  const client = service.client()
  const headers = { authorization: `Bearer ${token}` }
  return {
    get: (path: string): Promise<Answer> => client.get(path, { headers }),
    post: (path: string, body?: unknown): Promise<Answer> => client.post(path, body, { headers }),
  }
}
