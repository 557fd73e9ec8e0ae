import { Select } from '../../shared/components/Select.tsx'

const PERIODS = { 1: 'The last 24 hours', 7: 'The last 7 days', 30: 'The last 30 days', 90: 'The last 90 days' }
const DEFAULT_DAYS = 30

/** The number of days. */
export function periodOf(text: string): number {
  return Object.hasOwn(PERIODS, text) ? Number(text) : DEFAULT_DAYS
}

export function Periods({ days, onChange }: { days: number; onChange: (days: string) => void }) {
  return (
    <div className="period">
      <Select
        label="Time, against the same time before"
        options={PERIODS}
        value={days}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  )
}
