import { after } from 'node:test'
import type { Answer } from './client.ts'
import { type Service, startService } from './service.ts'
import type { TestUser } from './users.ts'

/** A second service on the same database with the same clock, as a second process would be. Starts on the first call. */
export function secondProcess(service: () => Service, onLog?: (line: string) => void): () => Promise<Service> {
  let started: Promise<Service> | undefined
  after(async () => (await started)?.stop())
  return async () => {
    started ??= startService({ engine: service().engine, beside: service(), ...(onLog && { onLog }) })
    const second = await started
    second.advance(service().context.now() - second.context.now())
    return second
  }
}

/** A client that sends the session token of a user as bearer token, also to another process than the sign-in. */
export function bearerClient(service: Service, { token }: Pick<TestUser, 'token'>) {
  const client = service.client()
  const headers = { authorization: `Bearer ${token}` }
  return {
    get: (path: string): Promise<Answer> => client.get(path, { headers }),
    post: (path: string, body?: unknown): Promise<Answer> => client.post(path, body, { headers }),
  }
}
