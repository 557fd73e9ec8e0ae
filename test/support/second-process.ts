import { after } from 'node:test'
import { type Service, startService } from './service.ts'

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
