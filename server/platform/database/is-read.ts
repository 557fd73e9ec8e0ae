import { type CompiledQuery, RawNode, SelectQueryNode } from 'kysely'

/** Whether a query only reads, also as an `sql` text, so that it needs none of the connections for changes. */
export function isRead({ query, sql }: CompiledQuery): boolean {
  return SelectQueryNode.is(query) || (RawNode.is(query) && /^\s*select\b/i.test(sql))
}
