import { type ComponentProps, useId } from 'react'
import { Filter } from '../../shared/components/Filter.tsx'
import { SearchField } from '../../shared/components/SearchField.tsx'
import { AUDIT_ACTION_NAMES } from '../common/event-sentence.ts'
import type { AuditFilter } from './filter.ts'

const ACTIONS = Object.fromEntries(AUDIT_ACTION_NAMES.map((name) => [name, name]))

type AuditFiltersProps = { filter: AuditFilter; onChange: (changes: Partial<AuditFilter>, isTyping?: boolean) => void }

export function AuditFilters({ filter: { id, action, from, until }, onChange }: AuditFiltersProps) {
  return (
    <div className="filters">
      <SearchField
        label="Id of a user, organization, request or anything else"
        value={id}
        onSearch={(text) => onChange({ id: text }, true)}
      />
      <Filter label="Action" options={ACTIONS} value={action} onChange={(chosen) => onChange({ action: chosen })} />
      <DayFilter label="From (UTC)" value={from} onDay={(day) => onChange({ from: day }, true)} />
      <DayFilter label="Before (UTC)" value={until} onDay={(day) => onChange({ until: day }, true)} />
    </div>
  )
}

/**
 * A day in UTC, as the service understands a date. The keys of a typed day change the value several times. Links of the
 * overview may have a time as well, which a new day replaces.
 */
function DayFilter({ label, value, onDay }: { label: string; value: string; onDay: (day: string) => void }) {
  const id = useId()
  const input: ComponentProps<'input'> = { id, className: 'input', type: 'date', value: value.slice(0, 10) }
  const time = value.slice(11, 16)
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {time && `, at ${time}`}
      </label>
      <input {...input} onChange={({ target }) => onDay(target.value)} />
    </div>
  )
}
