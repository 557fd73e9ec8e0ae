import { after } from 'node:test'
import type { Answer } from './client.ts'
import { type Service, startService } from './service.ts'
import type { TestUser } from './users.ts'

/** A second process of the same service, as far as the database can tell, with the same time. Made when first asked for. */
export function besideService(service: () => Service, onLog?: (line: string) => void): () => Promise<Service> {
  let started: Promise<Service> | undefined
  after(async () => (await started)?.stop())
  return async () => {
    started ??= startService({ engine: service().engine, beside: service(), ...(onLog && { onLog }) })
    const second = await started
    second.advance(service().context.now() - second.context.now())
    return second
  }
}

/** What a person asks of a service, by bearer, so that it may be another one than where they signed in. */
export function asking(service: Service, { token }: Pick<TestUser, 'token'>) {
  const client = service.client()
  const headers = { authorization: `Bearer ${token}` }
  return {
    get: (path: string): Promise<Answer> => client.get(path, { headers }),
    post: (path: string, body?: unknown): Promise<Answer> => client.post(path, body, { headers }),
  }
}
