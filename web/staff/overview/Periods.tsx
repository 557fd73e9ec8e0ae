import { useId } from 'react'

const PERIODS = { 1: 'The last 24 hours', 7: 'The last 7 days', 30: 'The last 30 days', 90: 'The last 90 days' }
const DEFAULT_DAYS = 30

/** The number of days. */
export function periodOf(text: string): number {
  return Object.hasOwn(PERIODS, text) ? Number(text) : DEFAULT_DAYS
}

export function Periods({ days, onChange }: { days: number; onChange: (days: string) => void }) {
  const id = useId()
  return (
    <div className="field period">
      <label htmlFor={id}>Time, against the same time before</label>
      <select id={id} className="input" value={days} onChange={({ target }) => onChange(target.value)}>
        {Object.entries(PERIODS).map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
