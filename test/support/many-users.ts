import type { Service } from './service.ts'
import { createUsers, newEmail } from './users.ts'

/** Inserts users with a verified address and the password of all test users. @returns their addresses */
export async function newUsers(service: Service, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, newEmail)
  await createUsers(
    service,
    emails.map((email) => ({ email, origin: 'staff' })),
  )
  return emails
}
