import { useOwnParameters } from './use-own-parameters.ts'

/** The filters and the page of a list, which are in the address. A new filter starts at the first page. */
export function useAddressValues() {
  const [parameters, setParameters] = useOwnParameters()

  function set(changes: Record<string, string | string[]>, isTyping = false) {
    setParameters((current) => withChanges(current, { offset: '', ...changes }), { replace: isTyping })
  }

  return {
    get: (name: string) => parameters.get(name) ?? '',
    getAll: (name: string) => parameters.getAll(name),
    offset: Math.max(0, Math.trunc(Number(parameters.get('offset'))) || 0),
    set,
    setOffset: (offset: number) => set({ offset: offset === 0 ? '' : String(offset) }),
  }
}

function withChanges(current: URLSearchParams, changes: Record<string, string | string[]>): URLSearchParams {
  const next = new URLSearchParams(current)
  for (const [name, values] of Object.entries(changes)) {
    next.delete(name)
    for (const value of [values].flat()) if (value !== '') next.append(name, value)
  }
  return next
}
