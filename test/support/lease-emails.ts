import { leaseEmail } from '../../server/platform/mail/lease-email.ts'
import type { Service } from './service.ts'

/** Begins to send every email that is due, as a delivery does. */
export async function leaseEmails({ context }: Service): Promise<void> {
  while (await leaseEmail(context));
}
