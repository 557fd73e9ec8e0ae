import { type CompiledQuery, RawNode, SelectQueryNode } from 'kysely'

export function isRead({ query, sql }: CompiledQuery): boolean {
  return SelectQueryNode.is(query) || (RawNode.is(query) && /^\s*select\b/i.test(sql))
}
