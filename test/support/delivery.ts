import type { TestContext } from 'node:test'
import { parseSmtpUrl } from '../../server/platform/config/smtp-server.ts'
import { createDelivery, type Delivery } from '../../server/platform/mail/delivery.ts'
import type { Service } from './service.ts'
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts'

/** A mail server, and the delivery of a service to it. Both end with the test. */
export async function startDelivery(
  t: TestContext,
  { context }: Service,
): Promise<{ sink: SmtpSink; delivery: Delivery }> {
  const sink = await startSmtpSink()
  const delivery = createDelivery(context, parseSmtpUrl(sink.url))
  t.after(async () => {
    await delivery.stop()
    await sink.close()
  })
  return { sink, delivery }
}
