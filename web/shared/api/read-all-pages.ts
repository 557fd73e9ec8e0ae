import { MEMBERSHIPS_PER_PAGE } from '../../../server/core/field-limits.ts'

/** Reads the pages of a list of memberships until a page is short. */
export async function readAllPages<Row>(readPage: (offset: number) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  while (true) {
    const page = await readPage(rows.length)
    rows.push(...page)
    if (page.length < MEMBERSHIPS_PER_PAGE) return rows
  }
}
