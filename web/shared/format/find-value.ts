/** Own properties only: a code in an address may be the name of an inherited property. */
export function findValue<Value>(table: Partial<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
