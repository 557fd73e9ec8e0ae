import { useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { FailureNotice } from './FailureNotice.tsx'

/** The arrow keys choose each option on the way to the wanted one. Only the one that the user stays at is sent. */
const REST_MILLISECONDS = 500

type RowSelectProps<Value extends string> = {
  label: string
  options: Partial<Record<Value, string>>
  value: Value
  /** Why the value can't be changed. */
  reasonOff?: string | undefined
  action: (value: Value) => Promise<unknown>
}

/** A choice in a row that applies after a short rest, and can be undone. */
export function RowSelect<Value extends string>({ label, options, value, reasonOff, action }: RowSelectProps<Value>) {
  const [former, setFormer] = useState<Value | null>(null)
  const select = useRef<HTMLSelectElement>(null)
  const { mutate, isPending, error, variables } = useMutation({ meta: { label }, mutationFn: action })
  const stored = isPending ? variables : value
  const { chosen, choose, send } = useRestingChoice<Value>(isPending, (next) => {
    if (next !== stored) change(next, stored)
  })
  const shown = chosen ?? stored

  function change(next: Value, undoTo: Value | null) {
    mutate(next, { onSuccess: () => setFormer(undoTo) })
  }

  function undo(undoTo: Value) {
    // The button leaves during the request.
    select.current?.focus()
    change(undoTo, null)
  }

  return (
    <div className="row-select">
      <select
        ref={select}
        aria-label={label}
        className="input"
        value={shown}
        disabled={reasonOff !== undefined}
        aria-busy={isPending}
        onChange={({ target }) => choose(target.value as Value)}
        onBlur={send}
      >
        {(Object.keys(options) as Value[]).map((key) => (
          <option key={key} value={key}>
            {options[key]}
          </option>
        ))}
      </select>
      {reasonOff && <p className="hint">{reasonOff}</p>}
      <div aria-live="polite">
        {former !== null && chosen === null && !isPending && (
          <button type="button" className="text-button" onClick={() => undo(former)}>
            Undo<span className="visually-hidden">: {label}</span>
          </button>
        )}
      </div>
      {error && <FailureNotice error={error} />}
    </div>
  )
}

/**
 * The newest choice, until it is sent: after a rest, or at once if the user leaves the select or the page. During a
 * request it waits.
 */
function useRestingChoice<Value>(isPending: boolean, onSend: (value: Value) => void) {
  const [chosen, setChosen] = useState<Value | null>(null)

  function send() {
    if (chosen === null || isPending) return
    setChosen(null)
    onSend(chosen)
  }

  const sendAfterRest = useEffectEvent(send)
  useEffect(() => {
    if (chosen === null || isPending) return
    const rest = setTimeout(() => sendAfterRest(), REST_MILLISECONDS)
    return () => clearTimeout(rest)
  }, [chosen, isPending])

  const sendUnsent = useEffectEvent(() => chosen !== null && onSend(chosen))
  useEffect(() => () => void sendUnsent(), [])

  return { chosen, choose: setChosen, send }
}
