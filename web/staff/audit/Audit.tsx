import { FramePage } from '../../shared/components/FramePage.tsx'
import { useAddressValues } from '../../shared/routing/address-values.ts'
import { AdministratorsOnly } from '../common/AdministratorsOnly.tsx'
import { EventList, type EventPage } from '../common/EventList.tsx'
import { usePage } from '../common/use-page.ts'
import { AuditFilters } from './AuditFilters.tsx'
import { ChainBadge } from './ChainBadge.tsx'
import { ExportEvents } from './ExportEvents.tsx'
import { type AuditFilter, toParameters } from './filter.ts'

export function Audit() {
  return (
    <FramePage heading="Audit log" lead="Who did what, to whom, when and from where. Newest first." isWide>
      <AdministratorsOnly what="the audit log">
        <FilteredEvents />
      </AdministratorsOnly>
    </FramePage>
  )
}

function FilteredEvents() {
  const { get, set } = useAddressValues()
  const filter: AuditFilter = { id: get('id'), action: get('action'), from: get('from'), until: get('until') }
  const list = usePage<EventPage>('list-audit-events', toParameters(filter))
  return (
    <>
      <AuditFilters filter={filter} onChange={set} />
      <ChainBadge />
      <ExportEvents key={JSON.stringify(filter)} filter={filter} />
      <EventList caption="Audit events" hasLinks {...list} />
    </>
  )
}
