import { type ComponentProps, useId } from 'react'

type SelectProps = Omit<ComponentProps<'select'>, 'children'> & { label: string; options: Record<string, string> }

export function Select({ label, options, ...select }: SelectProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select {...select} id={id} className="input">
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
