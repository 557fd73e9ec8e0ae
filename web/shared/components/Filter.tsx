import { useId } from 'react'

type FilterProps = {
  label: string
  options: Record<string, string>
  /** An empty value means no filter. */
  value: string
  onChange: (value: string) => void
}

/** Narrows a table to the rows with one value. */
export function Filter({ label, options, value, onChange }: FilterProps) {
  const id = useId()
  const isKnown = value === '' || Object.hasOwn(options, value)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" value={value} onChange={({ target }) => onChange(target.value)}>
        {!isKnown && <option value={value}>Unknown</option>}
        <option value="">All</option>
        {Object.entries(options).map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
