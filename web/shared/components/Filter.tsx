import { Select } from './Select.tsx'

type FilterProps = {
  label: string
  options: Record<string, string>
  /** An empty value means no filter. */
  value: string
  onChange: (value: string) => void
}

export function Filter({ label, options, value, onChange }: FilterProps) {
  const isKnown = value === '' || Object.hasOwn(options, value)
  return (
    <Select
      label={label}
      options={{ ...(!isKnown && { [value]: 'Unknown' }), '': 'All', ...options }}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
