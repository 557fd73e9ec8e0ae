import type { Service } from './service.ts'

/** Keeps each statement below the number of parameters of a database. */
const ROWS_PER_STATEMENT = 500

/** A user becomes a member of organizations named `Other 1`, `Other 2`, …, in this order. @returns the slugs */
export async function insertOrganizations({ context }: Service, userId: string, count: number): Promise<string[]> {
  const { database, now } = context
  const slugs: string[] = []
  while (slugs.length < count) {
    const first = slugs.length + 1
    const numbers = Array.from({ length: Math.min(ROWS_PER_STATEMENT, count - slugs.length) }, (_, at) => first + at)
    const rows = numbers.map((number) => ({
      id: `org-${userId}-${number}`,
      name: `Other ${number}`,
      slug: `other-${userId.slice(-12).toLowerCase()}-${number}`,
      createdAt: now() + number,
    }))
    const defaults = { logo: null, metadata: null, requireTwoFactor: 0 }
    await database
      .insertInto('organizations')
      .values(rows.map((row) => ({ ...row, ...defaults })))
      .execute()
    const membership = { userId, role: 'member', lastUsedAt: null } as const
    const members = rows.map(({ id, createdAt }) => ({ id: `mem-${id}`, organizationId: id, createdAt, ...membership }))
    await database.insertInto('members').values(members).execute()
    slugs.push(...rows.map(({ slug }) => slug))
  }
  return slugs
}
