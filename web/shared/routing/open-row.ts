import { useOwnParameters } from './use-own-parameters.ts'

/** The row of a table whose details are open. */
export type OpenRow = { id: string | null; toggle: (id: string) => void }

/** The id of the open row is in the address. The history entry keeps its state, because it may be a guard entry. */
export function useOpenRow(): OpenRow {
  const [parameters, setParameters] = useOwnParameters()
  const openId = parameters.get('open')

  function toggle(id: string) {
    setParameters(
      (current) => {
        const next = new URLSearchParams(current)
        if (openId === id) next.delete('open')
        else next.set('open', id)
        return next
      },
      { replace: true, state: history.state },
    )
  }

  return { id: openId, toggle }
}
