/**
 * @param fields that have a meaning on the wire, beside which a client chooses names of its own
 * @returns whether a name would mislead clients. They may ignore case, and objects of JavaScript have names, too
 *   (prototype pollution).
 */
export function createReservedNames(fields: string[]): (name: string) => boolean {
  const reserved = new Set(fields.map((field) => field.toLowerCase()))
  return (name) => reserved.has(name.toLowerCase()) || name in Object.prototype
}
