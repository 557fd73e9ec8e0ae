import { useEffect, useId, useState } from 'react'

const PAUSE_MILLISECONDS = 250

type SearchFieldProps = { label: string; value: string; onSearch: (value: string) => void }

/** Searches while the user types, after each pause. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const id = useId()

  // Back and Forward change the value from outside.
  useEffect(() => setTyped(value), [value])

  useEffect(() => {
    if (typed === value) return
    const pause = setTimeout(() => onSearch(typed), PAUSE_MILLISECONDS)
    return () => clearTimeout(pause)
  })

  return (
    <div className="field search-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type="search"
        autoComplete="off"
        spellCheck={false}
        maxLength={256}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </div>
  )
}
