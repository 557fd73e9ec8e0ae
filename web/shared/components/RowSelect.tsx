import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { FailureNotice } from './FailureNotice.tsx'

type RowSelectProps<Value extends string> = {
  label: string
  options: Partial<Record<Value, string>>
  value: Value
  /** Why the value can't be changed. */
  reasonOff?: string | undefined
  action: (value: Value) => Promise<unknown>
}

/** A choice in a row that applies immediately and can be undone. */
export function RowSelect<Value extends string>({ label, options, value, reasonOff, action }: RowSelectProps<Value>) {
  const [former, setFormer] = useState<Value | null>(null)
  const select = useRef<HTMLSelectElement>(null)
  const { mutate, isPending, error, variables } = useMutation({ mutationFn: action })
  const shown = isPending ? variables : value

  function change(next: Value, undoTo: Value | null) {
    if (!isPending) mutate(next, { onSuccess: () => setFormer(undoTo) })
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
        onChange={({ target }) => change(target.value as Value, value)}
      >
        {(Object.keys(options) as Value[]).map((key) => (
          <option key={key} value={key}>
            {options[key]}
          </option>
        ))}
      </select>
      {reasonOff && <p className="hint">{reasonOff}</p>}
      <div aria-live="polite">
        {former !== null && !isPending && (
          <button type="button" className="text-button" onClick={() => undo(former)}>
            Undo<span className="visually-hidden">: {label}</span>
          </button>
        )}
      </div>
      {error && <FailureNotice error={error} />}
    </div>
  )
}
