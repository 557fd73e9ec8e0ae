import { type KeyboardEvent, useId, useRef } from 'react'
import { SEARCH_LENGTH_MAXIMUM } from '../../../server/core/field-limits.ts'
import { useTypedSearch } from '../../shared/api/typing-pause.ts'
import { isComposing } from '../../shared/forms/is-composing.ts'
import { VERBATIM } from '../../shared/verbatim.ts'
import { completions, splitSearch } from './filters.ts'

type UserSearchProps = {
  search: string
  filters: string[]
  onSearch: (search: string, filters: string[]) => void
}

/** One field for names, email addresses, ids and filters. A filter that is complete becomes a chip. */
export function UserSearch({ search, filters, onSearch }: UserSearchProps) {
  const [typed, setTyped] = useTypedSearch(search, searchFor)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()

  function searchFor(typedText: string) {
    const { filters: all, text } = splitSearch(typedText, filters)
    if (text !== typedText) setTyped(text)
    onSearch(text.trim(), all)
  }

  function type(next: string, isFinished: boolean) {
    if (isFinished && splitSearch(next, filters).text !== next) searchFor(next)
    else setTyped(next)
  }

  function complete(filter: string) {
    type([...typed.split(' ').slice(0, -1), filter].join(' '), true)
    input.current?.focus()
  }

  function remove(gone: string) {
    onSearch(
      search,
      filters.filter((filter) => filter !== gone),
    )
    input.current?.focus()
  }

  function onKeyDown({ key, nativeEvent }: KeyboardEvent<HTMLInputElement>) {
    if (isComposing(nativeEvent)) return
    if (key === 'Enter') type(typed, true)
    if (key === 'Backspace' && typed === '' && filters.length > 0) onSearch(search, filters.slice(0, -1))
  }

  return (
    <div className="field user-search">
      <label htmlFor={id}>Name, email address or id</label>
      <div className="chip-box">
        <Chips filters={filters} onRemove={remove} />
        <input
          ref={input}
          id={id}
          className="input"
          type="search"
          autoComplete="off"
          {...VERBATIM}
          maxLength={SEARCH_LENGTH_MAXIMUM}
          value={typed}
          onChange={({ target: { value } }) => type(value, value.endsWith(' '))}
          onKeyDown={onKeyDown}
        />
      </div>
      <Suggestions filters={completions(typed, filters, new Date())} onChoose={complete} />
    </div>
  )
}

function Chips({ filters, onRemove }: { filters: string[]; onRemove: (filter: string) => void }) {
  return (
    <ul className="filter-chips" aria-label="Filters">
      {filters.map((filter) => (
        <li key={filter}>
          <button type="button" className="filter-chip" onClick={() => onRemove(filter)}>
            <span className="visually-hidden">Remove the filter </span>
            {filter} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function Suggestions({ filters, onChoose }: { filters: string[]; onChoose: (filter: string) => void }) {
  if (filters.length === 0) return null
  return (
    <ul className="filter-suggestions" aria-label="Filters to add">
      {filters.map((filter) => (
        <li key={filter}>
          <button type="button" className="filter-suggestion" onClick={() => onChoose(filter)}>
            {filter}
          </button>
        </li>
      ))}
    </ul>
  )
}
