import { useOwnParameters } from './use-own-parameters.ts'

/** The row of a table whose details are open. */
export type OpenRow = {
  id: string | null
  toggle: (id: string) => void
  /** Closes a row after its request, unless the user has opened another one since. */
  close: (id: string) => void
}

/** The id of the open row is in the address. The history entry keeps its state, because it may be a guard entry. */
export function useOpenRow(): OpenRow {
  const [parameters, setParameters] = useOwnParameters()

  function toggle(id: string) {
    setParameters(
      (current) => {
        const next = new URLSearchParams(current)
        if (current.get('open') === id) next.delete('open')
        else next.set('open', id)
        return next
      },
      { replace: true, state: history.state },
    )
  }

  function close(id: string) {
    if (new URLSearchParams(location.search).get('open') === id) toggle(id)
  }

  return { id: parameters.get('open'), toggle, close }
}
