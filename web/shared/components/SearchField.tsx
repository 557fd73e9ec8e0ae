import { useId } from 'react'
import { SEARCH_LENGTH_MAXIMUM } from '../../../server/core/field-limits.ts'
import { useTypedSearch } from '../api/typing-pause.ts'
import { VERBATIM } from '../verbatim.ts'

type SearchFieldProps = { label: string; value: string; onSearch: (value: string) => void }

export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useTypedSearch(value, onSearch)
  const id = useId()

  return (
    <div className="field search-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type="search"
        autoComplete="off"
        {...VERBATIM}
        maxLength={SEARCH_LENGTH_MAXIMUM}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </div>
  )
}
