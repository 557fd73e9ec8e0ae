/** Clients may ignore case, and objects of JavaScript have names, too (prototype pollution). */
export function createReservedNames(fields: string[]): (name: string) => boolean {
  const reserved = new Set(fields.map((field) => field.toLowerCase()))
  return (name) => reserved.has(name.toLowerCase()) || name in Object.prototype
}
