export type Parameters = Record<string, string | number | string[] | undefined>

/** Undefined and empty parameters are left out. */
export function queryString(parameters: Parameters): string {
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(parameters)) {
    for (const value of [values ?? ''].flat()) if (value !== '') query.append(name, String(value))
  }
  return query.toString()
}
