import { useId } from 'react'

type SelectFieldProps = { name: string; label: string; options: Record<string, string>; defaultValue: string }

export function SelectField({ name, label, options, defaultValue }: SelectFieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} name={name} className="input" defaultValue={defaultValue}>
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
